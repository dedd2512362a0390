"""Answers about a library and its collections: listing, indexing, watching, status and health."""

from __future__ import annotations

from octavo.fast_dataclass import Value
from octavo.ingest.indexing_report import CollectionReport
from octavo.model.index_recipe import Recipe
from octavo.model.maintenance_advisory import Advisory, OfflineRun
from octavo.model.projects_and_collections import FolderState
from octavo.operations.library.excluded_file_counts import ExcludedFiles


class CollectionState(Value):
    """What a collection holds, and the settings it has of its own. `root` is empty where it has no folder."""

    name: str
    root: str
    present: bool
    indexed: int
    skipped: int
    failed: int
    commits: int = 0
    include: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kind: str | None = None
    history: bool | None = None
    max_commits: int | None = None
    outside_git: bool | None = None
    archives: bool | None = None
    allow_secrets: bool | None = None
    max_heading_depth: int | None = None
    intelligent_heading_depth: bool | None = None
    writable: bool | None = None
    left_out: tuple[ExcludedFiles, ...] | None = None
    """Files that were not read, by reason; nothing where there are none."""


class OverlappingCollection(Value):
    """A collection with files of another one: the `same` folder, one `within` it, or one that it is `inside`."""

    name: str
    root: str
    relation: str


class AddAnswer(Value):
    """`changed` where a collection of that name was there already with other settings; `file` where it is one alone."""

    collection: CollectionState
    changed: bool
    existed: bool = False
    file: str | None = None
    overlaps: tuple[OverlappingCollection, ...] | None = None


class RemovedCollection(Value):
    name: str


class RemoveAnswer(Value):
    removed: tuple[RemovedCollection, ...]


class ListedDocument(Value):
    collection: str
    uri: str
    document_id: str


class PropertyKey(Value):
    """A property, how many documents have it, and its values, the most frequent first: `total` are different, of which
    some are named unless all were asked for."""

    key: str
    documents: int
    values: tuple[str, ...]
    total: int


class ListAnswer(Value):
    """The collections, or where documents were asked for those."""

    collections: tuple[CollectionState, ...] | None = None
    documents: tuple[ListedDocument, ...] | None = None
    keys: tuple[PropertyKey, ...] | None = None


class MissingFolder(Value):
    collection: str
    reason: str


class IndexAnswer(Value):
    """What a run did. `missing` folders were out of reach: what was indexed from them is kept.

    `damaged` says what a quick check finds wrong with the library afterwards."""

    collections: tuple[CollectionReport, ...]
    missing: tuple[MissingFolder, ...]
    embedded: int
    fast_vectors: int
    seconds: float
    advisories: tuple[Advisory, ...] = ()
    read: int = 0
    left_out: tuple[ExcludedFiles, ...] = ()
    """Files that were looked at and not read, by reason; `read` are those that are in the library now."""
    damaged: tuple[str, ...] | None = None

    @property
    def complete(self) -> bool:
        """Whether everything that should be in the library is: no file failed, no folder was out of reach."""
        whole = not self.missing and not self.damaged
        return whole and not any(done.failed or done.unreadable for done in self.collections)


class FileProblem(Value):
    collection: str
    uri: str
    reason: str


class IndexingRun(Value):
    """A run: how far it is, or what it did. `problems` are the first few; `process` is another one's number."""

    number: int
    scope: str
    state: str
    started_at: str
    finished_at: str | None = None
    phase: str | None = None
    done: int | None = None
    total: int | None = None
    unit: str | None = None
    error: str | None = None
    process: str | None = None
    added: int | None = None
    changed: int | None = None
    moved: int | None = None
    removed: int | None = None
    unchanged: int | None = None
    failed: int | None = None
    embedded: int | None = None
    problems: tuple[FileProblem, ...] = ()


class WatchAnswer(Value):
    watching: bool
    queued: int
    debounce_ms: int
    folders: tuple[FolderState, ...]
    last_event_at: str | None = None


class LedgerProblem(Value):
    """A file that failed, was skipped, or was indexed with warnings."""

    collection: str
    uri: str
    outcome: str
    reason: str
    warnings: tuple[str, ...] = ()


class StatusAnswer(Value):
    """`job` is the indexing run under way, in whichever process, or the last one of this one."""

    version: str
    project: str
    library: str
    library_bytes: int
    documents: int
    sections: int
    chunks: int
    text_bytes: int
    full_vectors: float
    collections: tuple[CollectionState, ...]
    model: str | None = None
    job: IndexingRun | None = None
    watch: WatchAnswer | None = None
    problems: tuple[LedgerProblem, ...] | None = None
    advisories: tuple[Advisory, ...] = ()
    offline: tuple[OfflineRun, ...] = ()
    recipe: Recipe | None = None
    left_out: tuple[ExcludedFiles, ...] = ()
    """Files of the collections that were not read, by reason."""


class Check(Value):
    """One thing the doctor looked at."""

    name: str
    ok: bool
    message: str
    hint: str | None = None


class HealthAnswer(Value):
    """`advisories` say what is missing or out of date, which is no fault. `report` is the text that was asked for."""

    ok: bool
    checks: tuple[Check, ...]
    advisories: tuple[Advisory, ...] = ()
    report: str = ""
