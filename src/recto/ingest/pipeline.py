"""Scan → plan → prepare → one short transaction per batch. Stopping anywhere leaves a valid library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from recto.ingest.plan import Plan, plan
from recto.ingest.prepare import Failure, Origin, Outcome
from recto.model.collection import Collection
from recto.model.document import Source
from recto.model.ids import ChunkKey, document_id, text_hash
from recto.model.index import IndexedChunk, Prepared
from recto.model.ledger import FileStamp, LedgerEntry
from recto.model.ledger import Outcome as Verdict
from recto.model.recipe import Recipe
from recto.observability.progress import Progress
from recto.ports import Store
from recto.sources.files import Scan, SeenFile

_BATCH_FILES = 256
_BATCH_CHARACTERS = 4_000_000


class Workers(Protocol):
    """Prepares files, here or elsewhere, and hands the outcomes back in any order."""

    def outcomes(self, origin: Origin, files: Sequence[SeenFile]) -> Iterator[Outcome]: ...


@dataclass(frozen=True, slots=True)
class Problem:
    uri: str
    reason: str


@dataclass(slots=True)
class CollectionReport:
    """What a run did to one collection."""

    name: str
    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    bytes: int = 0
    skipped: list[Problem] = field(default_factory=list)
    failed: list[Problem] = field(default_factory=list)
    warned: list[Problem] = field(default_factory=list)
    unreadable: list[Problem] = field(default_factory=list)
    doubtful: int = 0


def index_collection(
    store: Store,
    collection: Collection,
    scan: Scan,
    recipe: Recipe,
    workers: Workers,
    origin: Origin,
    progress: Progress,
    *,
    reread: bool = False,
    prefix: str = "",
) -> CollectionReport:
    """Brings the library in step with what the scan saw: of what lies under `prefix`, reading what changed.

    `reread` reads everything, whatever its stamp says.
    """
    project = collection.project_id
    entries = store.ledger.entries(project, collection.id)
    if prefix:
        entries = {uri: entry for uri, entry in entries.items() if uri.startswith(prefix)}
        scan = scan.under(prefix)
    todo = plan(scan, entries, recipe.id, reread=reread)
    report = CollectionReport(collection.name, unchanged=todo.unchanged, doubtful=len(todo.doubtful))
    report.skipped = [Problem(skipped.uri, skipped.reason) for skipped in todo.refused]
    report.unreadable = [Problem(skipped.uri, skipped.reason) for skipped in scan.unreadable]
    writer = _Writer(store, collection, recipe, dict(entries), todo, report)
    progress.start(collection.name, sum(file.stamp.size for file in todo.read), "B")
    try:
        for batch in _batches(workers.outcomes(origin, todo.read)):
            with store.transaction():
                writer.write_all(batch)
            progress.advance(sum(outcome.file.stamp.size for outcome in batch), batch[-1].file.uri)
        with store.transaction():
            writer.settle(scan)
    finally:
        progress.finish()
    return report


def index_sources(
    store: Store,
    collection: Collection,
    recipe: Recipe,
    prepare: Callable[[Source], Prepared],
    sources: Sequence[Source],
    progress: Progress,
) -> CollectionReport:
    """Takes texts that come from elsewhere than a folder: a data set, an export. Nothing is removed."""
    entries = store.ledger.entries(collection.project_id, collection.id)
    report = CollectionReport(collection.name)
    nothing = Plan((), 0, (), (), ())
    writer = _Writer(store, collection, recipe, dict(entries), nothing, report)
    fresh = []
    for source in sources:
        known = entries.get(source.uri)
        if known is None or known.recipe_id != recipe.id or known.content_hash != text_hash(source.text):
            fresh.append(source)
    report.unchanged = len(sources) - len(fresh)
    progress.start(collection.name, len(fresh), "documents")
    try:
        for batch in _batches(_prepared(source, prepare) for source in fresh):
            with store.transaction():
                writer.write_all(batch)
            progress.advance(len(batch), batch[-1].file.uri)
    finally:
        progress.finish()
    return report


def _prepared(source: Source, prepare: Callable[[Source], Prepared]) -> Outcome:
    stamp = FileStamp(len(source.text), int(source.modified_at * 1e9), 0)
    return Outcome(SeenFile(source.uri, source.uri, stamp), prepare(source))


def _batches(outcomes: Iterable[Outcome]) -> Iterator[list[Outcome]]:
    batch: list[Outcome] = []
    characters = 0
    for outcome in outcomes:
        batch.append(outcome)
        if isinstance(outcome.result, Prepared):
            characters += len(outcome.result.document.text)
        if len(batch) >= _BATCH_FILES or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


class _Writer:
    """Applies outcomes inside the caller's transaction, and remembers which vanished files were found again."""

    def __init__(
        self,
        store: Store,
        collection: Collection,
        recipe: Recipe,
        entries: dict[str, LedgerEntry],
        todo: Plan,
        report: CollectionReport,
    ) -> None:
        self._store = store
        self._collection = collection
        self._project = collection.project_id
        self._recipe = recipe
        self._entries = entries
        self._report = report
        self._gone = dict.fromkeys(todo.gone)
        self._written: list[tuple[ChunkKey, IndexedChunk]] = []
        self._recorded: list[LedgerEntry] = []
        self._gone_by_hash = {
            entries[uri].content_hash: uri for uri in reversed(todo.gone) if entries[uri].outcome is Verdict.INDEXED
        }

    def write_all(self, batch: Sequence[Outcome]) -> None:
        """Documents one by one; their lexical rows, inputs and ledger rows together, which is several times faster."""
        for outcome in batch:
            self._write(outcome)
        self._store.lexical.put(self._project, [(key, indexed.lexical) for key, indexed in self._written])
        self._store.embeddings.expect(self._project, [(key, indexed.inputs) for key, indexed in self._written])
        self._store.ledger.record(self._project, self._collection.id, self._recorded)
        self._written, self._recorded = [], []

    def _write(self, outcome: Outcome) -> None:
        file, result = outcome.file, outcome.result
        if isinstance(result, Failure):
            self._fail(file, result)
            return
        document = result.document
        entry = self._entries.get(file.uri)
        indexed_before = entry is not None and entry.document_id is not None
        same = indexed_before and entry is not None and entry.content_hash == document.content_hash
        if same and entry is not None and entry.recipe_id == self._recipe.id and entry.outcome is Verdict.INDEXED:
            self._report.unchanged += 1
        else:
            self._put(result, indexed_before=indexed_before)
        self._report.warned += [Problem(file.uri, warning) for warning in document.warnings]
        self._report.bytes += file.stamp.size
        self._record(
            LedgerEntry(
                uri=file.uri,
                outcome=Verdict.INDEXED,
                stamp=file.stamp,
                content_hash=document.content_hash,
                recipe_id=self._recipe.id,
                document_id=document.id,
                warnings=document.warnings,
            )
        )

    def settle(self, scan: Scan) -> None:
        """What left the disk leaves the library; what is refused is written down with its reason."""
        for uri in self._gone:
            self._drop(uri)
        self._store.ledger.forget(self._project, self._collection.id, self._gone)
        for skipped in scan.skipped:
            known = self._entries.get(skipped.uri)
            if known is not None and known.outcome is Verdict.SKIPPED and known.reason == skipped.reason:
                continue
            self._drop(skipped.uri)
            self._record(LedgerEntry(skipped.uri, Verdict.SKIPPED, FileStamp(0, 0, 0), reason=skipped.reason))
        self.write_all([])

    def _put(self, prepared: Prepared, *, indexed_before: bool) -> None:
        document = prepared.document
        source = None if indexed_before else self._gone_by_hash.pop(document.content_hash, None)
        if source is not None and document.text:
            keys = self._store.documents.move(self._project, self._collection.id, source, prepared)
            self._store.ledger.forget(self._project, self._collection.id, [source])
            self._gone.pop(source, None)
            self._report.moved += 1
        else:
            keys = self._store.documents.put(self._project, self._collection.id, prepared)
            self._report.changed += indexed_before
            self._report.added += not indexed_before
        self._report.chunks += len(keys)
        self._written += zip(keys, prepared.chunks, strict=True)

    def _fail(self, file: SeenFile, failure: Failure) -> None:
        # What was indexed before stays: an unreadable file is no evidence that its content is gone.
        known = self._entries.get(file.uri)
        (self._report.skipped if failure.refused else self._report.failed).append(Problem(file.uri, failure.reason))
        self._record(
            LedgerEntry(
                uri=file.uri,
                outcome=Verdict.SKIPPED if failure.refused else Verdict.FAILED,
                stamp=file.stamp,
                content_hash=known.content_hash if known else "",
                recipe_id=self._recipe.id,
                document_id=known.document_id if known else None,
                reason=failure.reason,
            )
        )

    def _drop(self, uri: str) -> None:
        known = self._entries.get(uri)
        if known is not None and known.document_id is not None:
            self._store.documents.remove(self._project, document_id(self._project, self._collection.id, uri))
            self._report.removed += 1

    def _record(self, entry: LedgerEntry) -> None:
        self._recorded.append(entry)
