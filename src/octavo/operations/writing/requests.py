"""What the operations on notes take."""

from __future__ import annotations

from typing import Annotated

from octavo.dataclass import dataclass
from octavo.model.limits import Field
from octavo.model.lint import RULES
from octavo.model.memory import DEFAULT_SCOPE, MemoryKind
from octavo.operations import fields
from octavo.operations.memory.requests import Item, KindName, Scope, Tags, Title

_LONGEST = 20_000_000

Uri = Annotated[
    str,
    Field(
        max_length=4_096,
        argument="URI",
        complete="uris",
        description="Path in the collection.",
    ),
]
HeadingTexts = tuple[Annotated[str, Field(max_length=10_000)], ...]
SectionPath = Annotated[
    HeadingTexts,
    Field(
        max_length=100,
        option="-s/--section",
        metavar="HEADING",
        description='Heading texts from the root: ["A", "B"].',
    ),
]
ParentPath = Annotated[
    HeadingTexts,
    Field(
        max_length=100,
        option="-u/--under",
        metavar="HEADING",
        description="The parent's heading path; [] is the root.",
    ),
]
Content = Annotated[
    str, Field(max_length=_LONGEST, argument="CONTENT", reads="stdin", description="Markdown, without the heading.")
]
ExpectedHash = Annotated[
    str, Field(max_length=200, metavar="SHA256", description="Fail unless the file has this SHA-256.")
]
DryRun = Annotated[bool, Field(description="Show the diff, write nothing.")]
UpdateLinks = Annotated[bool, Field(description="Write links of the collection anew that would lead nowhere.")]
Author = Annotated[str, Field(max_length=200, description="Who makes the change.")]
Reason = Annotated[str, Field(max_length=2_000, description="Why it is made.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """What every change of a file takes."""

    collection: fields.InCollection | None = None
    expected_hash: ExpectedHash | None = None
    dry_run: DryRun = False
    author: Author = ""
    reason: Reason = ""


@dataclass(frozen=True, slots=True)
class DocValidateRequest:
    uri: Uri
    collection: fields.InCollection | None = None


@dataclass(frozen=True, slots=True)
class DocAutoFixRequest(WriteRequest):
    uri: Uri


@dataclass(frozen=True, slots=True)
class DocCreateRequest(WriteRequest):
    uri: Uri
    title: Annotated[str, Field(max_length=10_000, argument="TITLE", description="The first heading.")]
    template: (
        Annotated[
            str,
            Field(
                max_length=4_096,
                metavar="URI",
                description="A note whose text is used, {{title}} and {{content}} replaced.",
            ),
        ]
        | None
    ) = None
    content_md: (
        Annotated[str, Field(max_length=_LONGEST, option="--content", metavar="TEXT", description="Markdown below it.")]
        | None
    ) = None
    overwrite: Annotated[bool, Field(description="Replace a file that is there.")] = False


@dataclass(frozen=True, slots=True)
class DocInsertSectionRequest(WriteRequest):
    uri: Uri
    parent_heading_path: ParentPath
    heading: Annotated[
        str, Field(max_length=10_000, argument="HEADING", description="The new heading, without # markers.")
    ]
    content_md: Content
    level: Annotated[int, Field(description="Else one below the parent.")] | None = None
    position: Annotated[
        str | dict[str, HeadingTexts],
        Field(metavar="POSITION", description='"last", "first" or {"after": [path of a child]}.'),
    ] = "last"


@dataclass(frozen=True, slots=True)
class DocReplaceSectionRequest(WriteRequest):
    uri: Uri
    heading_path: SectionPath
    content_md: Content


@dataclass(frozen=True, slots=True)
class DocAppendToSectionRequest(WriteRequest):
    uri: Uri
    heading_path: SectionPath
    content_md: Content


@dataclass(frozen=True, slots=True)
class DocMoveSectionRequest(WriteRequest):
    uri: Uri
    from_heading_path: SectionPath
    to_parent_heading_path: ParentPath
    update_links: UpdateLinks = False


@dataclass(frozen=True, slots=True)
class DocRenameRequest(WriteRequest):
    """A file gets another uri with `to`, or one of its headings another text with `heading_path` and `heading`."""

    uri: Uri
    to: (
        Annotated[str, Field(max_length=4_096, metavar="URI", description="The file's new path in the collection.")]
        | None
    ) = None
    heading_path: SectionPath = ()
    heading: (
        Annotated[str, Field(max_length=10_000, metavar="TEXT", description="The section's new heading.")] | None
    ) = None
    update_links: UpdateLinks = False


@dataclass(frozen=True, slots=True)
class DocRestoreRequest(WriteRequest):
    uri: Uri
    version: (
        Annotated[int, Field(ge=1, metavar="N", description="A version of its history; else the last write is undone.")]
        | None
    ) = None


@dataclass(frozen=True, slots=True)
class DocSetPropertyRequest(WriteRequest):
    uri: Uri
    key: Annotated[str, Field(min_length=1, max_length=200, argument="KEY", description="The property's name.")]
    value: (
        Annotated[
            str | int | float | bool | tuple[str | int | float | bool, ...],
            Field(argument="VALUE", description="Text, number, boolean or list."),
        ]
        | None
    ) = None
    remove: Annotated[bool, Field(description="Remove the property instead.")] = False


NoteCollection = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        option="-c/--collection",
        complete="collections",
        description="The collection it is in.",
    ),
]


@dataclass(frozen=True, slots=True)
class NotesNewRequest:
    title: Annotated[str, Field(max_length=1_000, argument="TITLE", description="Its title, and its file's name.")]
    template: (
        Annotated[str, Field(max_length=4_096, option="-t/--template", metavar="NAME", description="Its template.")]
        | None
    ) = None
    content_md: Annotated[
        str, Field(max_length=_LONGEST, option="--content", metavar="TEXT", description="Its text, in Markdown.")
    ] = ""
    folder: (
        Annotated[str, Field(max_length=4_096, metavar="FOLDER", description="A folder of the collection.")] | None
    ) = None
    collection: NoteCollection | None = None
    dry_run: DryRun = False
    author: Author = ""
    reason: Reason = ""


@dataclass(frozen=True, slots=True)
class NotesAppendRequest:
    note: Annotated[
        str, Field(min_length=1, max_length=4_096, argument="NOTE", complete="uris", description="Its name or uri.")
    ]
    content_md: Annotated[
        str, Field(max_length=_LONGEST, argument="TEXT", reads="stdin", description="Markdown to add at its end.")
    ]
    heading_path: Annotated[SectionPath, Field(description="The section to add to, instead of the end.")] = ()
    collection: NoteCollection | None = None
    dry_run: DryRun = False
    author: Author = ""
    reason: Reason = ""


@dataclass(frozen=True, slots=True)
class NotesTodayRequest:
    content_md: Annotated[
        str, Field(max_length=_LONGEST, argument="TEXT", description="Markdown to add at the end of today's note.")
    ] = ""
    collection: NoteCollection | None = None
    dry_run: DryRun = False
    author: Author = ""
    reason: Reason = ""


@dataclass(frozen=True, slots=True)
class MemoryToNoteRequest(WriteRequest):
    item: Item
    uri: Uri
    heading_path: SectionPath


@dataclass(frozen=True, slots=True)
class MemoryFromNoteRequest:
    source: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4_096,
            argument="SECTION",
            complete="uris",
            description="What to remember: uri#Heading, uri:10-20 or a uri.",
        ),
    ]
    kind: KindName = MemoryKind.NOTE.value
    scope: Scope = DEFAULT_SCOPE
    title: Title = ""
    tags: Tags = ()
    collection: fields.InCollection | None = None
    author: Author = ""
    reason: Reason = ""


@dataclass(frozen=True, slots=True)
class LintRequest:
    """Without files, every note of the collections."""

    files: Annotated[
        tuple[Annotated[str, Field(max_length=4_096)], ...],
        Field(max_length=10_000, argument="FILE...", complete="uris", description="Only these notes: uris or paths."),
    ] = ()
    collections: fields.Collections = ()
    rules: Annotated[
        tuple[Annotated[str, Field(max_length=100)], ...],
        Field(max_length=50, option="--rule", metavar="RULE", description=f"Only these rules: {', '.join(RULES)}."),
    ] = ()
    fix: Annotated[bool, Field(description="Mend what can be mended without a choice: heading jumps.")] = False
    dry_run: DryRun = False
    limit: Annotated[
        int,
        Field(ge=1, le=fields.UNLIMITED, option="-n/--limit", local=fields.UNLIMITED, description="Findings listed."),
    ] = 200
