"""What is asked about the library as a whole and its collections."""

from __future__ import annotations

from typing import Annotated

from octavo.dataclass import dataclass
from octavo.model.limits import Field
from octavo.operations import fields

SCOPES = ("changed", "full", "prefix")
Globs = tuple[Annotated[str, Field(min_length=1, max_length=1_000)], ...]


@dataclass(frozen=True, slots=True)
class AddRequest:
    """Adding a collection again changes the settings that are named here and keeps the others."""

    name: (
        Annotated[
            str, Field(min_length=1, max_length=200, metavar="NAME", description="What to call it; else as its folder.")
        ]
        | None
    )
    folder: Annotated[
        str, Field(min_length=1, max_length=4_096, argument="FOLDER", description="The folder with the documents.")
    ]
    include: (
        Annotated[Globs, Field(metavar="GLOB", description="Take only what matches one of these patterns.")] | None
    ) = None
    ignore: (
        Annotated[Globs, Field(metavar="GLOB", description="Leave out what matches one of these patterns.")] | None
    ) = None
    tags: Annotated[tuple[fields.Name, ...], Field(option="--tag", description="Tags for every document.")] | None = (
        None
    )
    kind: (
        Annotated[
            str,
            Field(
                description="What the documents are, where they do not say.",
                choices=("note", "doc"),
            ),
        ]
        | None
    ) = None
    max_heading_depth: (
        Annotated[int, Field(ge=0, le=6, metavar="N", description="Deeper headings start no chunk.")] | None
    ) = None
    intelligent_heading_depth: (
        Annotated[bool, Field(description="Choose that depth for each document by its size.")] | None
    ) = None
    history: Annotated[bool, Field(description="Index the commits of git repositories in it, or do not.")] | None = None
    max_commits: (
        Annotated[int, Field(ge=1, metavar="N", description="Of each repository the newest so many only.")] | None
    ) = None
    archives: Annotated[bool, Field(description="Read the files in zip and tar archives, or do not.")] | None = None
    outside_git: (
        Annotated[bool, Field(description="Read repositories that a .git file places outside the folder.")] | None
    ) = None
    writable: Annotated[bool, Field(description="Allow notes in it to be changed, or do not.")] | None = None
    allow_secrets: Annotated[bool, Field(description="Store keys and tokens as written, not redacted.")] | None = None
    replace: Annotated[bool, Field(description="Point an existing collection at another folder.")] = False
    reset: Annotated[bool, Field(description="Forget the settings it had; else those not named here stay.")] = False


@dataclass(frozen=True, slots=True)
class RemoveRequest:
    names: Annotated[
        tuple[fields.Name, ...],
        Field(min_length=1, argument="NAME...", complete="collections", description="The collections to remove."),
    ]


@dataclass(frozen=True, slots=True)
class CollectionsListRequest:
    collections: fields.Collections = ()
    documents: Annotated[bool, Field(description="The documents rather than the collections.")] = False
    keys: Annotated[bool, Field(description="The properties that documents have, for --where.")] = False
    path_prefix: fields.PathPrefix | None = None
    where: fields.Where = ()


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """Only what changed is read. An interrupted run leaves a valid library, and the next one goes on from there."""

    collections: Annotated[
        tuple[fields.Name, ...],
        Field(argument="NAME", complete="collections", description="Only these collections."),
    ] = ()
    embed: Annotated[bool, Field(description="Compute vectors too, or leave them to the next run.")] = True
    wait_full: Annotated[bool, Field(description="Stay until every chunk has its full vector.")] = False
    wait: Annotated[bool, Field(description="Wait for a run of another process rather than fail.")] = False
    confirm_removals: Annotated[
        bool, Field(description="Remove what is gone even where its disk may not be mounted.")
    ] = False


@dataclass(frozen=True, slots=True)
class ReindexRequest:
    """`changed` reads what moved since; `full` checks the library and reads every file again. A `prefix` confines
    either; the scope `prefix` is `changed` with one."""

    scope: Annotated[
        str,
        Field(description="changed files, full (read every file again) or prefix.", choices=SCOPES),
    ] = "changed"
    prefix: Annotated[str, Field(max_length=4_096, description="Only uris that start so.")] | None = None
    collections: fields.Collections = ()
    wait: Annotated[bool, Field(description="Answer when it is done rather than at once; status tells meanwhile.")] = (
        False
    )


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """Without anything it only tells. What is changed here lasts until the process ends."""

    enabled: Annotated[bool, Field(description="Start or stop watching; left out, nothing changes.")] | None = None
    debounce_ms: (
        Annotated[int, Field(ge=250, le=30_000, description="How long a folder must be quiet before it is looked at.")]
        | None
    ) = None


@dataclass(frozen=True, slots=True)
class StatusRequest:
    problems: Annotated[bool, Field(description="List files that failed, were skipped or have warnings.")] = False


@dataclass(frozen=True, slots=True)
class DoctorRequest:
    deep: Annotated[
        bool, Field(option=None, local=True, description="Read the whole library as well, which takes a while.")
    ] = False
