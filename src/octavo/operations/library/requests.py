"""Requests to add, index, watch, export and remove collections, and to tell the state of the library."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types

SCOPES = ("changed", "full", "prefix")
Globs = tuple[Annotated[str, Field(min_length=1, max_length=1_000)], ...]


class AddRequest(Value):
    folder: Annotated[argument_types.Place, Field("The folder with the documents.", argument="FOLDER")]
    name: Annotated[argument_types.Name | None, Field("What to call it; else as its folder.", metavar="NAME")] = None
    include: Annotated[Globs | None, Field("Take only what matches one of these patterns.", metavar="GLOB")] = None
    ignore: Annotated[Globs | None, Field("Leave out what matches one of these patterns.", metavar="GLOB")] = None
    tags: Annotated[tuple[argument_types.Name, ...] | None, Field("Tags for every document.", option="--tag")] = None
    kind: Annotated[
        str | None,
        Field(
            "What the documents are, where they do not say; of conversations nothing else is read as text.",
            choices=("note", "doc", "conversations"),
            option="--as/--kind",
        ),
    ] = None
    max_heading_depth: Annotated[int | None, Field("Deeper headings start no chunk.", ge=0, le=6, metavar="N")] = None
    intelligent_heading_depth: Annotated[bool | None, Field("Choose that depth for each document by its size.")] = None
    history: Annotated[bool | None, Field("Index the commits of git repositories in it, or do not.")] = None
    max_commits: Annotated[int | None, Field("Of each repository the newest so many only.", ge=1, metavar="N")] = None
    archives: Annotated[bool | None, Field("Read the files in zip and tar archives, or do not.")] = None
    outside_git: Annotated[bool | None, Field("Read repositories that a .git file places outside the folder.")] = None
    writable: Annotated[bool | None, Field("Allow notes in it to be changed, or do not.")] = None
    allow_secrets: Annotated[bool | None, Field("Store keys and tokens as written, not redacted.")] = None
    replace: Annotated[bool, Field("Point an existing collection at another folder.")] = False
    reset: Annotated[bool, Field("Forget the settings it had; else those not named here stay.")] = False


class FetchRequest(Value):
    """Nothing is fetched but these addresses, once, now."""

    pages: Annotated[argument_types.Place, Field("A file with addresses in it, or one address.", argument="LIST")]
    folder: Annotated[argument_types.Place, Field("The folder to write the pages to.", argument="FOLDER")]


class ExportRequest(Value):
    """Memories, which no folder holds, only with `kinds=("memory",)`."""

    target: Annotated[argument_types.Place, Field("A new folder, or a file ending in .jsonl.", argument="TARGET")]
    to: Annotated[
        str | None, Field("What to write, where the target's name does not say.", choices=("markdown", "jsonl", "site"))
    ] = None
    query: Annotated[str, Field("Only documents that this finds.", max_length=20_000, option="--query")] = ""
    limit: Annotated[int, Field("How many hits of the query.", ge=1, le=1_000, option="-n/--limit")] = 50
    collections: argument_types.Collections = ()
    kinds: argument_types.Kinds = ()
    path_prefix: argument_types.PathPrefix | None = None
    tags_all: argument_types.AllTags = ()
    where: argument_types.Where = ()
    force: Annotated[bool, Field("Replace what is there.")] = False


class RemoveRequest(Value):
    names: Annotated[
        tuple[argument_types.Name, ...],
        Field("The collections to remove.", min_length=1, argument="NAME...", complete="collections"),
    ]


class CollectionsListRequest(Value):
    collections: argument_types.Collections = ()
    documents: Annotated[bool, Field("The documents rather than the collections.")] = False
    keys: Annotated[bool, Field("The properties that documents have, for --where.")] = False
    all_values: Annotated[bool, Field("With keys: all values of each property, not the most frequent.")] = False
    path_prefix: argument_types.PathPrefix | None = None
    where: argument_types.Where = ()


class IndexRequest(Value):
    collections: Annotated[
        tuple[argument_types.Name, ...], Field("Only these collections.", argument="NAME", complete="collections")
    ] = ()
    embed: Annotated[bool, Field("Compute vectors too, or leave them to the next run.")] = True
    wait_full: Annotated[bool, Field("Stay until every chunk has its full vector.")] = False
    wait: Annotated[bool, Field("Wait for a run of another process rather than fail.")] = False
    confirm_removals: Annotated[bool, Field("Remove what is gone even where its disk may not be mounted.")] = False
    reread: Annotated[
        Globs,
        Field("Read what matches this again, changed or not.", option="--reread/--force-file-pattern", metavar="GLOB"),
    ] = ()


class ReindexRequest(Value):
    """`changed` reads what moved since; `full` checks the library and reads every file again. A `prefix` confines
    either; the scope `prefix` is `changed` with one."""

    scope: Annotated[str, Field("changed files, full (read every file again) or prefix.", choices=SCOPES)] = "changed"
    prefix: Annotated[str | None, Field("Only uris that start so.", max_length=4_096)] = None
    collections: argument_types.Collections = ()
    wait: Annotated[bool, Field("Answer when it is done rather than at once; status tells meanwhile.")] = False


class WatchRequest(Value):
    """Without anything it only tells. What is changed here lasts until the process ends."""

    enabled: Annotated[bool | None, Field("Start or stop watching; left out, nothing changes.")] = None
    debounce_ms: Annotated[
        int | None, Field("How long a folder must be quiet before it is looked at.", ge=250, le=30_000)
    ] = None


class StatusRequest(Value):
    problems: Annotated[bool, Field("List files that failed, were skipped or have warnings.")] = False


class DoctorRequest(Value):
    deep: Annotated[bool, Field("Read the whole library as well, which takes a while.", option=None, local=True)] = (
        False
    )
    report: Annotated[bool, Field("Give a text to paste into a report: versions, sizes, checks; nothing of yours.")] = (
        False
    )
