"""What the operations on memories take."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.model.memory import DEFAULT_SCOPE, MemoryKind
from octavo.operations import argument_types
from octavo.retrieval.profiles_by_name import MEMORY_PROFILE

MIN_SIMILARITY = 0.35  # the cosine of unrelated texts is between 0 and 0.3
PROJECT_FOLDER = ".memories"
MEMORY_KINDS = [kind.value for kind in MemoryKind]

ItemName = Annotated[
    str, Field("The memory's id, its beginning, or title.", min_length=1, max_length=500, metavar="MEMORY")
]
Item = Annotated[ItemName, Field(argument="MEMORY")]
KindName = Annotated[str, Field("What sort of memory it is.", choices=MEMORY_KINDS, metavar="KIND")]
Scope = Annotated[argument_types.Name, Field("What it belongs to: project, a task, a talk.", metavar="NAME")]
Tag = Annotated[str, Field(min_length=1, max_length=200, metavar="TAG")]
Tags = Annotated[tuple[Tag, ...], Field("Its tags.", max_length=50, option="--tag")]
Text = Annotated[
    str, Field("What to remember, in Markdown.", min_length=1, max_length=1_000_000, argument="TEXT...", reads="stdin")
]
Title = Annotated[str, Field("A title, instead of its first line.", max_length=500)]
Links = Annotated[
    tuple[Annotated[str, Field(metavar="NAME")], ...],
    Field("Documents or memories it is about.", max_length=50, option="--link"),
]
Pin = Annotated[bool, Field("Show it first in recall without a query.")]
Force = Annotated[bool, Field("Store it although it looks like a secret.")]
Author = Annotated[str, Field("Who makes the change.", max_length=200, metavar="NAME")]
Reason = Annotated[str, Field("Why, in a sentence.", max_length=2_000, metavar="TEXT")]
Session = Annotated[str, Field("The session it belongs to.", max_length=100, metavar="ID")]
Key = Annotated[
    argument_types.Name,
    Field("Idempotency key: a retry under it changes nothing.", option="--idempotency-key/--key", metavar="KEY"),
]
ProjectName = Annotated[
    argument_types.Name, Field("Another project of the library than this server's own.", option=None)
]
Version = Annotated[int, Field("The number of a version.", ge=1, metavar="N")]
Time = Annotated[
    str, Field("2024-05-01, a full ISO time, or an age: 36h 7d 2w 3m 1y.", pattern=argument_types.TIME, metavar="TIME")
]
ValidFrom = Annotated[Time, Field("When it began to be true, if not now: a date, a time or an age.")]
ValidTo = Annotated[Time, Field("When it stops being true.")]
AsOf = Annotated[Time, Field("As it was then: 2024-05-01, a full ISO time, or an age: 36h 7d 2w 3m 1y.")]
Question = Annotated[str, Field("A question or words.", max_length=20_000, argument="QUERY...")]
Limit = Annotated[int, Field("How many memories at most.", ge=1, le=200, option="-n/--limit")]
Scopes = Annotated[tuple[Scope, ...], Field("Only these scopes.", max_length=100, option="--scope")]


class ChangeRequest(Value, kw_only=True):
    """What every change may say of itself."""

    author: Author = ""
    reason: Reason = ""
    session: Session | None = None
    idempotency_key: Key | None = None
    project: ProjectName | None = None


class RememberRequest(ChangeRequest):
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


class MemoryCommitRequest(ChangeRequest):
    """A new memory, or with `item` the next version of one. What is left out of a next version stays as it was."""

    text: Text
    item: Annotated[ItemName | None, Field("The memory it is the next version of.")] = None
    expected_version: Annotated[Version | None, Field("Fail unless the memory is at this version.")] = None
    kind: KindName | None = None
    scope: Scope | None = None
    title: Title = ""
    tags: Tags | None = None
    links: Links = ()
    supersedes: Annotated[tuple[ItemName, ...], Field("Memories that it replaces.", max_length=50)] = ()
    pin: Pin = False
    valid_from: ValidFrom | None = None
    valid_to: ValidTo | None = None
    force: Force = False


class ForgetRequest(ChangeRequest):
    """A change that needs nothing but the memory: archive, pin or unpin it."""

    item: Item


class MemoryRestoreRequest(ChangeRequest):
    item: Item
    version: Annotated[Version, Field(argument="N")]


class MemoryLinkRequest(ChangeRequest):
    item: Item
    target: Annotated[argument_types.Place, Field("A uri, a memory's id, or any name.", argument="TARGET")]
    type: Annotated[str, Field("How they relate.", min_length=1, max_length=100)] = "mentions"


class MemoryUnlinkRequest(ChangeRequest):
    item: Item
    target: Annotated[argument_types.Place, Field("What the link points to.", argument="TARGET")]
    type: Annotated[str, Field("Only a link of this type.", max_length=100)] = ""


class RecallRequest(Value):
    query: Question = ""
    limit: Limit = 10
    kinds: Annotated[tuple[KindName, ...], Field("Only these kinds.", max_length=len(MemoryKind), option="--kind")] = ()
    scopes: Scopes = ()
    tags_all: argument_types.AllTags = ()
    tags_any: argument_types.AnyTags = ()
    where: argument_types.Where = ()
    pinned_only: Annotated[bool, Field("Only pinned ones.", option="--pinned")] = False
    created_after: Annotated[Time | None, Field("Only made since: a date, or an age such as 7d.", option="--after")] = (
        None
    )
    created_before: Annotated[Time | None, Field("Only made before.", option="--before")] = None
    canonical_only: Annotated[bool, Field("Only canonical documents.")] = False
    doc_classes: Annotated[
        tuple[Tag, ...], Field("Only of these document classes.", max_length=50, option="--class", metavar="CLASS")
    ] = ()
    item_ids: Annotated[tuple[ItemName, ...], Field("Only these memories.", max_length=200, option="--item")] = ()
    exclude_item_ids: Annotated[
        tuple[ItemName, ...], Field("Not these memories.", max_length=200, option="--exclude-item")
    ] = ()
    max_chars: Annotated[int, Field("Cut each after so many characters.", ge=1, le=1_000_000, metavar="N")] = 2_000
    min_similarity: Annotated[
        float,
        Field("Below this cosine, a memory has to share a word with the query.", ge=0.0, le=1.0, metavar="COSINE"),
    ] = MIN_SIMILARITY
    include_chunks: Annotated[bool, Field("Add every passage of a memory that was found, each with its place.")] = False
    profile: argument_types.ProfileName = MEMORY_PROFILE
    as_of: AsOf | None = None
    project: ProjectName | None = None


class MemoryGetRequest(Value):
    item: Item
    version: Version | None = None
    as_of: AsOf | None = None
    project: ProjectName | None = None


class MemoryHistoryRequest(Value):
    item: Item
    project: ProjectName | None = None


class MemoryDiffRequest(Value):
    item: Item
    old: Annotated[Version | None, Field("From this version, instead of the one before.")] = None
    new: Annotated[Version | None, Field("To this version, instead of the last.")] = None
    context: Annotated[int, Field("Unchanged lines around a change.", ge=0, le=1_000, metavar="N")] = 3
    by_section: Annotated[bool, Field("Section by section, instead of the whole text.")] = False
    project: ProjectName | None = None


class MemorySyncRequest(Value):
    folder: Annotated[str, Field("The folder, made when it is not there.", max_length=4_096, argument="FOLDER")] = (
        PROJECT_FOLDER
    )
    accept_deletions: Annotated[bool, Field("Archive the memories even if every file is gone.")] = False


class MemoryLinkedRequest(Value):
    """Without a query: the memories that link there, pinned ones and the latest first."""

    target: Annotated[
        argument_types.Place, Field("A document's uri, a memory's id, or a name as linked.", argument="TARGET")
    ]
    query: Question = ""
    types: Annotated[
        tuple[Annotated[str, Field(max_length=100)], ...],
        Field("Only links of these types: mentions, plans, refactors, fixes…", max_length=20, option="--type"),
    ] = ()
    limit: Limit = 10
    project: ProjectName | None = None


MemorySearchRequest = RecallRequest


MemoryPinRequest = ForgetRequest
MemoryUnpinRequest = ForgetRequest
MemoryArchiveRequest = ForgetRequest
