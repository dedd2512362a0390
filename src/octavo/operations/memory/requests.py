"""What the operations on memories take."""

from __future__ import annotations

from typing import Annotated

from octavo.dataclass import dataclass
from octavo.model.limits import Field
from octavo.model.memory import DEFAULT_SCOPE, MemoryKind
from octavo.operations import fields
from octavo.retrieval.profiles import MEMORY_PROFILE

MIN_SIMILARITY = 0.25  # the cosine of unrelated texts is between 0 and 0.2
PROJECT_FOLDER = ".memories"
MEMORY_KINDS = [kind.value for kind in MemoryKind]

ItemName = Annotated[
    str, Field(min_length=1, max_length=500, metavar="MEMORY", description="The memory's id, its beginning, or title.")
]
Item = Annotated[ItemName, Field(argument="MEMORY")]
KindName = Annotated[str, Field(choices=MEMORY_KINDS, metavar="KIND", description="What sort of memory it is.")]
Scope = Annotated[
    str,
    Field(min_length=1, max_length=200, metavar="NAME", description="What it belongs to: project, a task, a talk."),
]
Tag = Annotated[str, Field(min_length=1, max_length=200, metavar="TAG")]
Tags = Annotated[tuple[Tag, ...], Field(max_length=50, option="--tag", description="Its tags.")]
Text = Annotated[
    str,
    Field(
        min_length=1,
        max_length=1_000_000,
        argument="TEXT...",
        reads="stdin",
        description="What to remember, in Markdown.",
    ),
]
Title = Annotated[str, Field(max_length=500, description="A title, instead of its first line.")]
Links = Annotated[
    tuple[Annotated[str, Field(metavar="NAME")], ...],
    Field(max_length=50, option="--link", description="Documents or memories it is about."),
]
Pin = Annotated[bool, Field(description="Show it first in recall without a query.")]
Force = Annotated[bool, Field(description="Store it although it looks like a secret.")]
Author = Annotated[str, Field(max_length=200, metavar="NAME", description="Who makes the change.")]
Reason = Annotated[str, Field(max_length=2_000, metavar="TEXT", description="Why, in a sentence.")]
Session = Annotated[str, Field(max_length=100, metavar="ID", description="The session it belongs to.")]
Key = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        option="--idempotency-key/--key",
        metavar="KEY",
        description="Idempotency key: a retry under it changes nothing.",
    ),
]
ProjectName = Annotated[
    str,
    Field(
        min_length=1, max_length=200, option=None, description="Another project of the library than this server's own."
    ),
]
Version = Annotated[int, Field(ge=1, metavar="N", description="The number of a version.")]
Time = Annotated[
    str,
    Field(pattern=fields.TIME, metavar="TIME", description="2024-05-01, a full ISO time, or an age: 36h 7d 2w 3m 1y."),
]
ValidFrom = Annotated[Time, Field(description="When it began to be true, if not now: a date, a time or an age.")]
ValidTo = Annotated[Time, Field(description="When it stops being true.")]
AsOf = Annotated[Time, Field(description="As it was then: 2024-05-01, a full ISO time, or an age: 36h 7d 2w 3m 1y.")]
Question = Annotated[str, Field(max_length=20_000, argument="QUERY...", description="A question or words.")]
Limit = Annotated[int, Field(ge=1, le=200, option="-n/--limit", description="How many memories at most.")]
Scopes = Annotated[tuple[Scope, ...], Field(max_length=100, option="--scope", description="Only these scopes.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRequest:
    """What every change may say of itself."""

    author: Author = ""
    reason: Reason = ""
    session: Session | None = None
    idempotency_key: Key | None = None
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class RememberRequest(ChangeRequest):
    """One self-contained thing to keep."""

    text: Text
    kind: KindName = MemoryKind.NOTE.value
    scope: Scope = DEFAULT_SCOPE
    title: Title = ""
    tags: Tags = ()
    links: Links = ()
    pin: Pin = False
    valid_from: ValidFrom | None = None
    valid_to: ValidTo | None = None
    force: Force = False


@dataclass(frozen=True, slots=True)
class MemoryCommitRequest(ChangeRequest):
    """A new memory, or with `item` the next version of one. What is left out of a next version stays as it was."""

    __pydantic_config__ = {"json_schema_extra": {"dependentRequired": {"expected_version": ["item"]}}}  # noqa: RUF012

    text: Text
    item: Annotated[ItemName, Field(description="The memory it is the next version of.")] | None = None
    expected_version: Annotated[Version, Field(description="Fail unless the memory is at this version.")] | None = None
    kind: KindName | None = None
    scope: Scope | None = None
    title: Title = ""
    tags: Tags | None = None
    links: Links = ()
    supersedes: Annotated[tuple[ItemName, ...], Field(max_length=50, description="Memories that it replaces.")] = ()
    pin: Pin = False
    valid_from: ValidFrom | None = None
    valid_to: ValidTo | None = None
    force: Force = False


@dataclass(frozen=True, slots=True)
class ForgetRequest(ChangeRequest):
    """A change that needs nothing but the memory: archive, pin or unpin it."""

    item: Item


@dataclass(frozen=True, slots=True)
class MemoryRestoreRequest(ChangeRequest):
    item: Item
    version: Annotated[Version, Field(argument="N")]


@dataclass(frozen=True, slots=True)
class MemoryLinkRequest(ChangeRequest):
    item: Item
    target: Annotated[
        str,
        Field(min_length=1, max_length=4_096, argument="TARGET", description="A uri, a memory's id, or any name."),
    ]
    type: Annotated[str, Field(min_length=1, max_length=100, description="How they relate.")] = "mentions"


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """Without a query: pinned memories, then the ones changed last."""

    query: Question = ""
    limit: Limit = 10
    kinds: Annotated[
        tuple[KindName, ...], Field(max_length=len(MemoryKind), option="--kind", description="Only these kinds.")
    ] = ()
    scopes: Scopes = ()
    tags_all: fields.AllTags = ()
    tags_any: fields.AnyTags = ()
    where: fields.Where = ()
    pinned_only: Annotated[bool, Field(option="--pinned", description="Only pinned ones.")] = False
    created_after: (
        Annotated[Time, Field(option="--after", description="Only made since: a date, or an age such as 7d.")] | None
    ) = None
    created_before: Annotated[Time, Field(option="--before", description="Only made before.")] | None = None
    canonical_only: Annotated[bool, Field(description="Only canonical documents.")] = False
    doc_classes: Annotated[
        tuple[Tag, ...],
        Field(max_length=50, option="--class", metavar="CLASS", description="Only of these document classes."),
    ] = ()
    item_ids: Annotated[
        tuple[ItemName, ...], Field(max_length=200, option="--item", description="Only these memories.")
    ] = ()
    exclude_item_ids: Annotated[
        tuple[ItemName, ...], Field(max_length=200, option="--exclude-item", description="Not these memories.")
    ] = ()
    max_chars: Annotated[
        int, Field(ge=1, le=1_000_000, metavar="N", description="Cut each after so many characters.")
    ] = 2_000
    min_similarity: Annotated[
        float,
        Field(
            ge=0.0,
            le=1.0,
            metavar="COSINE",
            description="Below this cosine, a memory has to share a word with the query.",
        ),
    ] = MIN_SIMILARITY
    include_chunks: Annotated[
        bool, Field(description="Add every passage of a memory that was found, each with its place.")
    ] = False
    profile: fields.ProfileName = MEMORY_PROFILE
    as_of: AsOf | None = None
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class MemoryGetRequest:
    """As it stands, at a version, or as of an instant."""

    item: Item
    version: Version | None = None
    as_of: AsOf | None = None
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class MemoryHistoryRequest:
    item: Item
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class MemoryDiffRequest:
    """From one version to another; without them, from the one before last to the last."""

    item: Item
    old: Annotated[Version, Field(description="From this version, instead of the one before.")] | None = None
    new: Annotated[Version, Field(description="To this version, instead of the last.")] | None = None
    context: Annotated[int, Field(ge=0, le=1_000, metavar="N", description="Unchanged lines around a change.")] = 3
    by_section: Annotated[bool, Field(description="Section by section, instead of the whole text.")] = False
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class MemorySyncRequest:
    """A folder of Markdown, one file for each memory."""

    folder: Annotated[
        str, Field(max_length=4_096, argument="FOLDER", description="The folder, made when it is not there.")
    ] = PROJECT_FOLDER
    accept_deletions: Annotated[bool, Field(description="Archive the memories even if every file is gone.")] = False


@dataclass(frozen=True, slots=True)
class MemoryLinkedRequest:
    """Without a query: the memories that link there, pinned ones and the latest first."""

    target: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4_096,
            argument="TARGET",
            description="A document's uri, a memory's id, or a name as linked.",
        ),
    ]
    query: Question = ""
    types: Annotated[
        tuple[Annotated[str, Field(max_length=100)], ...],
        Field(
            max_length=20, option="--type", description="Only links of these types: mentions, plans, refactors, fixes…"
        ),
    ] = ()
    limit: Limit = 10
    project: ProjectName | None = None


MemorySearchRequest = RecallRequest


MemoryPinRequest = ForgetRequest
MemoryUnpinRequest = ForgetRequest
MemoryArchiveRequest = ForgetRequest
