"""Requests of the note operations: edits of sections, properties, names, daily notes, lint, copies of memories."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.document import HEADING_SEPARATOR
from octavo.model.field_constraints_and_cli_options import Field
from octavo.model.lint_rules import RULES
from octavo.model.memory import DEFAULT_SCOPE, MemoryKind
from octavo.operations import argument_types
from octavo.operations.memory.requests import Item, KindName, Scope, Tags, Title

_LONGEST = 20_000_000

Uri = Annotated[str, Field("Path in the collection.", max_length=4_096, argument="URI", complete="uris")]
HeadingTexts = tuple[Annotated[str, Field(max_length=10_000)], ...]
HeadingPath = Annotated[HeadingTexts, Field(max_length=100, metavar="HEADING", separator=HEADING_SEPARATOR)]
SectionPath = Annotated[
    HeadingPath, Field("Each heading from the top down to the section, in order.", option="-s/--section")
]
ParentPath = Annotated[
    HeadingPath, Field("Each heading from the top down to the parent; none is the root.", option="-u/--under")
]
Content = Annotated[
    str, Field("Markdown, without the heading.", max_length=_LONGEST, argument="CONTENT", reads="stdin")
]
ExpectedHash = Annotated[str, Field("Fail unless the file has this SHA-256.", max_length=200, metavar="SHA256")]
DryRun = Annotated[bool, Field("Show the diff, write nothing.")]
UpdateLinks = Annotated[bool, Field("Write links of the collection anew that would lead nowhere.")]
Author = Annotated[str, Field("Who makes the change.", max_length=200)]
Reason = Annotated[str, Field("Why it is made.", max_length=2_000)]


class WriteRequest(Value, kw_only=True):
    """What every change of a file takes."""

    collection: argument_types.InCollection | None = None
    expected_hash: ExpectedHash | None = None
    dry_run: DryRun = False
    author: Author = ""
    reason: Reason = ""


class DocValidateRequest(Value):
    uri: Uri
    collection: argument_types.InCollection | None = None


class DocAutoFixRequest(WriteRequest):
    uri: Uri


class DocCreateRequest(WriteRequest):
    uri: Uri
    title: Annotated[str, Field("The first heading.", max_length=10_000, argument="TITLE")]
    template: Annotated[
        str | None,
        Field("A note whose text is used, {{title}} and {{content}} replaced.", max_length=4_096, metavar="URI"),
    ] = None
    content_md: Annotated[
        str | None, Field("Markdown below it.", max_length=_LONGEST, option="--content", metavar="TEXT")
    ] = None
    overwrite: Annotated[bool, Field("Replace a file that is there.")] = False


class DocInsertSectionRequest(WriteRequest):
    uri: Uri
    parent_heading_path: ParentPath
    heading: Annotated[str, Field("The new heading, without # markers.", max_length=10_000, argument="HEADING")]
    content_md: Content
    level: Annotated[int | None, Field("Else one below the parent.")] = None
    position: Annotated[
        str | dict[str, HeadingTexts], Field('"last", "first" or {"after": [path of a child]}.', metavar="POSITION")
    ] = "last"


class DocReplaceSectionRequest(WriteRequest):
    uri: Uri
    heading_path: SectionPath
    content_md: Content


class DocAppendToSectionRequest(WriteRequest):
    uri: Uri
    heading_path: SectionPath
    content_md: Content


class DocMoveSectionRequest(WriteRequest):
    uri: Uri
    from_heading_path: SectionPath
    to_parent_heading_path: ParentPath
    update_links: UpdateLinks = False


class DocRenameRequest(WriteRequest):
    """A file gets another uri with `to`, or one of its headings another text with `heading_path` and `heading`."""

    uri: Uri
    to: Annotated[str | None, Field("The file's new path in the collection.", max_length=4_096, metavar="URI")] = None
    heading_path: SectionPath = ()
    heading: Annotated[str | None, Field("The section's new heading.", max_length=10_000, metavar="TEXT")] = None
    update_links: UpdateLinks = False


class DocRestoreRequest(WriteRequest):
    uri: Uri
    version: Annotated[
        int | None, Field("A version of its history; else the last write is undone.", ge=1, metavar="N")
    ] = None


class DocSetPropertyRequest(WriteRequest):
    uri: Uri
    key: Annotated[argument_types.Name, Field("The property's name.", argument="KEY")]
    value: (
        Annotated[
            str | int | float | bool | tuple[str | int | float | bool, ...],
            Field("Text, number, boolean or list.", argument="VALUE"),
        ]
        | None
    ) = None
    remove: Annotated[bool, Field("Remove the property instead.")] = False


NoteCollection = Annotated[
    argument_types.Name, Field("The collection it is in.", option="-c/--collection", complete="collections")
]


class NotesNewRequest(Value):
    title: Annotated[str, Field("Its title, and its file's name.", max_length=1_000, argument="TITLE")]
    template: Annotated[
        str | None, Field("Its template.", max_length=4_096, option="-t/--template", metavar="NAME")
    ] = None
    content_md: Annotated[
        str, Field("Its text, in Markdown.", max_length=_LONGEST, option="--content", metavar="TEXT")
    ] = ""
    folder: Annotated[str | None, Field("A folder of the collection.", max_length=4_096, metavar="FOLDER")] = None
    collection: NoteCollection | None = None
    dry_run: DryRun = False
    author: Author = ""
    reason: Reason = ""


class NotesAppendRequest(Value):
    note: Annotated[argument_types.Place, Field("Its name or uri.", argument="NOTE", complete="uris")]
    content_md: Annotated[
        str, Field("Markdown to add at its end.", max_length=_LONGEST, argument="TEXT", reads="stdin")
    ]
    heading_path: Annotated[SectionPath, Field("The section to add to, instead of the end.")] = ()
    collection: NoteCollection | None = None
    dry_run: DryRun = False
    author: Author = ""
    reason: Reason = ""


class NotesTodayRequest(Value):
    content_md: Annotated[
        str, Field("Markdown to add at the end of today's note.", max_length=_LONGEST, argument="TEXT")
    ] = ""
    collection: NoteCollection | None = None
    dry_run: DryRun = False
    author: Author = ""
    reason: Reason = ""


class MemoryToNoteRequest(WriteRequest):
    item: Item
    uri: Uri
    heading_path: SectionPath


class MemoryFromNoteRequest(Value):
    source: Annotated[
        argument_types.Place,
        Field("What to remember: uri#Heading, uri:10-20 or a uri.", argument="SECTION", complete="uris"),
    ]
    kind: KindName = MemoryKind.NOTE.value
    scope: Scope = DEFAULT_SCOPE
    title: Title = ""
    tags: Tags = ()
    collection: argument_types.InCollection | None = None
    author: Author = ""
    reason: Reason = ""


class LintRequest(Value):
    files: Annotated[
        tuple[Annotated[str, Field(max_length=4_096)], ...],
        Field("Only these notes: uris or paths.", max_length=10_000, argument="FILE...", complete="uris"),
    ] = ()
    collections: argument_types.Collections = ()
    rules: Annotated[
        tuple[Annotated[str, Field(choices=tuple(RULES))], ...],
        Field("Only these rules.", max_length=50, option="--rule", metavar="RULE"),
    ] = ()
    fix: Annotated[bool, Field("Mend what can be mended without a choice: heading jumps.")] = False
    dry_run: DryRun = False
    limit: Annotated[
        int,
        Field(
            "Findings listed.", ge=1, le=argument_types.UNLIMITED, option="-n/--limit", local=argument_types.UNLIMITED
        ),
    ] = 200
