"""Scan → plan → prepare → one short transaction per batch. Stopping anywhere leaves a valid library."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from recto.errors import Conflict, RectoError
from recto.graph.edges import linked
from recto.ingest.batches import BATCH_FILES, batches, seldom_collecting, shown
from recto.ingest.fast import put_fast
from recto.ingest.plan import plan
from recto.ingest.prepare import Failure, Origin, Outcome
from recto.ingest.report import CollectionReport, Problem
from recto.model.collection import Collection
from recto.model.document import Source
from recto.model.graph import Linked
from recto.model.ids import ChunkKey, RecipeId, document_id, recipe_id, text_hash
from recto.model.index import IndexedChunk, Prepared
from recto.model.ledger import FileStamp, LedgerEntry
from recto.model.ledger import Outcome as Verdict
from recto.model.recipe import EmbeddingProfile, Recipe
from recto.observability.progress import Progress
from recto.ports import Store
from recto.sources.files import Scan, SeenFile, Skipped

# Of what is read: what links mean is found out once before the end, while workers are still busy, and then only what
# has changed since has to be looked at. So the last thing a run does, which nothing else goes on beside, is short.
_EARLY = 0.8


class Workers(Protocol):
    """Prepares files, here or elsewhere, and hands the outcomes back in any order."""

    def outcomes(self, origin: Origin, files: Sequence[SeenFile]) -> Generator[Outcome, None, None]: ...


def index_collection(
    store: Store,
    collection: Collection,
    scan: Scan,
    recipe: Recipe,
    workers: Callable[[int], Workers],
    origin: Origin,
    progress: Progress,
    *,
    reread: bool = False,
    prefix: str = "",
    paths: Sequence[str] | None = None,
    fast: EmbeddingProfile | None = None,
) -> CollectionReport:
    """Brings the library in step with what the scan saw: of what lies under `prefix`, reading what changed.

    `workers` are made for so many bytes: one edited note in a large folder does not wait for processes to start.
    `reread` reads everything, whatever its stamp says. `paths` are those a scan was confined to. Vectors that workers
    made on the way are of the profile `fast`. Inputs that the origin does without are left to `make_postponed`, if all
    there is to read is new: a document that changed or moved keeps the vectors of what stayed the same in it.
    """

    def ledger() -> Mapping[str, LedgerEntry]:
        project = collection.project_id
        if paths is None:
            return store.ledger.entries(project, collection.id)
        return store.ledger.at(project, collection.id, paths)

    def indexed(file: SeenFile) -> bool:
        return file.uri in entries and entries[file.uri].document_id is not None

    with store.reading():
        generation, entries = store.generation(), ledger()
    if prefix:
        entries = {uri: entry for uri, entry in entries.items() if uri.startswith(prefix)}
        scan = scan.under(prefix)
    recipe_name = made_by(recipe, origin)
    todo = plan(scan, entries, recipe_name, reread=reread)
    report = CollectionReport(collection.name, unchanged=todo.unchanged, doubtful=len(todo.doubtful))
    report.skipped = [Problem(skipped.uri, skipped.reason) for skipped in todo.refused]
    report.unreadable = [Problem(skipped.uri, skipped.reason) for skipped in scan.unreadable]
    origin = replace(origin, inputs=origin.inputs or bool(todo.gone) or any(map(indexed, todo.read)))
    postpone = not origin.inputs
    writer = _Writer(
        store, collection, recipe_name, generation, entries, todo.gone, report, ledger, fast, postpone=postpone
    )
    size = sum(file.stamp.size for file in todo.read)
    progress.start(collection.name, size, "B")
    try:
        # Closed here and not whenever it is collected: worker processes end with the run, however it ends.
        with seldom_collecting(), closing(workers(size).outcomes(origin, todo.read)) as outcomes:
            written, early = 0, round(size * _EARLY)
            for batch in batches(shown(outcomes, progress)):
                writer.write(batch)
                before, written = written, written + sum(outcome.file.stamp.size for outcome in batch)
                if before < early <= written < size:
                    writer.settle_links()
        writer.settle(scan.skipped)
    finally:
        progress.finish()
    return report


def made_by(recipe: Recipe, origin: Origin) -> RecipeId:
    """What a ledger row names: the recipe, and what the collection says of every document, if it says anything."""
    if origin.kind is None and not origin.tags:
        return recipe.id
    return recipe_id(json.dumps([recipe.canonical(), origin.kind, origin.tags]))


def index_sources(
    store: Store,
    collection: Collection,
    recipe: Recipe,
    prepare: Callable[[Source], Prepared],
    sources: Sequence[Source],
    progress: Progress,
) -> CollectionReport:
    """Takes texts that come from elsewhere than a folder: a data set, an export. Nothing is removed."""
    with store.reading():
        generation, entries = store.generation(), store.ledger.entries(collection.project_id, collection.id)
    report = CollectionReport(collection.name)
    ledger = partial(store.ledger.entries, collection.project_id, collection.id)
    writer = _Writer(store, collection, recipe.id, generation, entries, (), report, ledger)
    fresh = []
    for source in sources:
        known = entries.get(source.uri)
        if known is None or known.recipe_id != recipe.id or known.content_hash != text_hash(source.text):
            fresh.append(source)
    report.unchanged = len(sources) - len(fresh)
    progress.start(collection.name, len(fresh), "documents")
    try:
        for batch in batches(_prepared(source, prepare) for source in fresh):
            writer.write(batch)
            progress.advance(len(batch), batch[-1].file.uri)
        writer.settle_links()
    finally:
        progress.finish()
    return report


def _prepared(source: Source, prepare: Callable[[Source], Prepared]) -> Outcome:
    stamp = FileStamp(len(source.text), int(source.modified_at * 1e9), 0)
    return Outcome(SeenFile(source.uri, source.uri, stamp), prepare(source))


@dataclass(slots=True)
class _Written:
    """What one transaction does: counted only once it is committed."""

    report: CollectionReport
    prepared: list[Prepared] = field(default_factory=list)
    chunks: list[tuple[ChunkKey, IndexedChunk]] = field(default_factory=list)
    recorded: list[LedgerEntry] = field(default_factory=list)
    linked: list[Linked] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Uris whose ledger rows go: their documents moved, or left the disk."""


class _Writer:
    """Applies outcomes, a transaction for each batch, and remembers which vanished files were found again.

    `planned` is the ledger the plan was made from. Other processes may write meanwhile: whenever the generation has
    moved on, the ledger is read again, inside the transaction that depends on it.
    """

    def __init__(
        self,
        store: Store,
        collection: Collection,
        made_by: RecipeId,
        generation: int,
        planned: Mapping[str, LedgerEntry],
        gone: Sequence[str],
        report: CollectionReport,
        ledger: Callable[[], Mapping[str, LedgerEntry]],
        fast: EmbeddingProfile | None = None,
        *,
        postpone: bool = False,
    ) -> None:
        self._store = store
        self._collection = collection
        self._project = collection.project_id
        self._made_by = made_by
        self._generation = generation
        self._planned = planned
        self._entries = dict(planned)
        self._report = report
        self._ledger = ledger
        self._fast = fast
        self._postpone = postpone
        self._gone = dict.fromkeys(gone)
        self._gone_by_hash: dict[str, list[str]] = {}
        for uri in gone:
            if planned[uri].outcome is Verdict.INDEXED:
                self._gone_by_hash.setdefault(planned[uri].content_hash, []).append(uri)

    def write(self, batch: Sequence[Outcome]) -> None:
        """All in one transaction. If one of them cannot be written, each has its own: a bad file costs only itself."""
        fresh = [outcome for outcome in batch if not self._nothing_new(outcome)]
        if not fresh:
            return
        try:
            with self._store.transaction():
                written = self._begin()
                for outcome in fresh:
                    self._write(outcome, written)
                self._finish(written)
        except Exception as error:
            # The disk, the lock and the library itself are everyone's trouble, and not one document's.
            if isinstance(error, RectoError) and not isinstance(error, Conflict):
                raise
            if len(fresh) > 1:
                for outcome in fresh:
                    self.write([outcome])
                return
            if isinstance(fresh[0].result, Failure):
                raise
            self.write([Outcome(fresh[0].file, Failure(f"it could not be stored: {type(error).__name__}: {error}"))])
            return
        self._committed(written)

    def settle(self, skipped: Sequence[Skipped]) -> None:
        """What left the disk leaves the library; what is refused is written down with its reason."""
        refused = [one for one in skipped if not self._refused_before(one)]
        gone = list(self._gone)  # each batch takes what it removed from the original
        for start in range(0, len(gone), BATCH_FILES):
            self._settle(gone[start : start + BATCH_FILES], ())
        for start in range(0, len(refused), BATCH_FILES):
            self._settle((), refused[start : start + BATCH_FILES])
        self.settle_links()

    def settle_links(self) -> None:
        """Seldom: in between, most of what links ask for is still to come."""
        if self._store.graph.unsettled(self._project):
            with self._store.transaction():
                self._store.graph.settle(self._project)
            self._generation += 1

    def _settle(self, gone: Sequence[str], refused: Sequence[Skipped]) -> None:
        with self._store.transaction():
            written = self._begin()
            for uri in gone:
                # A row that is not the planned one was written by someone who saw the file after this run did.
                if self._entries.get(uri) == self._planned[uri]:
                    self._drop(uri, written)
                    written.left.append(uri)
            for one in refused:
                if self._entries.get(one.uri) == self._planned.get(one.uri):
                    self._drop(one.uri, written)
                    entry = LedgerEntry(one.uri, Verdict.SKIPPED, FileStamp(0, 0, 0), reason=one.reason)
                    written.recorded.append(entry)
            self._finish(written)
        self._committed(written)

    def _begin(self) -> _Written:
        generation = self._store.generation()
        if generation != self._generation:
            self._generation = generation
            self._entries = dict(self._ledger())
        return _Written(CollectionReport(self._collection.name))

    def _finish(self, written: _Written) -> None:
        """The rows of a whole batch together, which is several times faster."""
        keys = self._store.documents.put_all(self._project, self._collection.id, written.prepared)
        for prepared, those in zip(written.prepared, keys, strict=True):
            written.chunks += zip(those, prepared.chunks, strict=True)
        self._store.lexical.put(self._project, [(key, indexed.lexical) for key, indexed in written.chunks])
        if self._postpone:
            self._store.embeddings.postpone(self._project, [key for key, _ in written.chunks])
        else:
            self._expect(written)
        self._store.graph.put(self._project, self._collection.id, written.linked, settle=False)
        self._store.ledger.forget(self._project, self._collection.id, written.left)
        self._store.ledger.record(self._project, self._collection.id, written.recorded)

    def _expect(self, written: _Written) -> None:
        fresh = self._store.embeddings.expect(self._project, [(key, indexed.inputs) for key, indexed in written.chunks])
        if self._fast is not None:
            held = [one for _, indexed in written.chunks for one in indexed.inputs]
            written.report.fast_vectors += put_fast(self._store, self._project, self._fast, held, fresh)

    def _committed(self, written: _Written) -> None:
        self._generation += 1
        for uri in written.left:
            self._entries.pop(uri, None)
            self._gone.pop(uri, None)
        self._entries |= {entry.uri: entry for entry in written.recorded}
        self._report.include(written.report)

    def _write(self, outcome: Outcome, written: _Written) -> None:
        result, entry, known = outcome.result, self._entry(outcome), self._entries.get(outcome.file.uri)
        _tell(outcome, written.report)
        written.recorded.append(entry)
        if isinstance(result, Failure):
            if result.refused:
                self._drop(entry.uri, written)
        elif known is not None and replace(known, stamp=entry.stamp) == entry:
            written.report.unchanged += 1
        else:
            self._put(result, written, indexed_before=known is not None and known.document_id is not None)

    def _entry(self, outcome: Outcome) -> LedgerEntry:
        file, result = outcome.file, outcome.result
        if isinstance(result, Prepared):
            document = result.document
            return LedgerEntry(
                uri=file.uri,
                outcome=Verdict.INDEXED,
                stamp=file.stamp,
                content_hash=document.content_hash,
                recipe_id=self._made_by,
                document_id=document.id,
                warnings=document.warnings,
            )
        # What was indexed before stays: a file that cannot be read is no evidence that its content is gone.
        # One that is refused was read, and holds something else by now.
        known = None if result.refused else self._entries.get(file.uri)
        return LedgerEntry(
            uri=file.uri,
            outcome=Verdict.SKIPPED if result.refused else Verdict.FAILED,
            stamp=file.stamp,
            content_hash=known.content_hash if known else "",
            recipe_id=None if result.passing else self._made_by,  # without one it is looked at on every run
            document_id=known.document_id if known else None,
            reason=result.reason,
        )

    def _nothing_new(self, outcome: Outcome) -> bool:
        """Whether the ledger says all this already: then there is nothing to write."""
        known = self._entries.get(outcome.file.uri)
        if known is None or self._entry(outcome) != known:
            return False
        _tell(outcome, self._report)
        self._report.unchanged += isinstance(outcome.result, Prepared)
        return True

    def _put(self, prepared: Prepared, written: _Written, *, indexed_before: bool) -> None:
        document, report = prepared.document, written.report
        written.linked.append(prepared.linked or linked(document))
        source = None if indexed_before or not document.text else self._moved_from(prepared, written)
        if source is not None:
            keys = self._store.documents.move(self._project, self._collection.id, source, prepared)
            written.left.append(source)
            written.chunks += zip(keys, prepared.chunks, strict=True)
            report.moved += 1
        else:
            written.prepared.append(prepared)
            report.changed += indexed_before
            report.added += not indexed_before
        report.chunks += len(prepared.chunks)

    def _moved_from(self, prepared: Prepared, written: _Written) -> str | None:
        """A file that left the disk with this content: one of the same name if there are several, else the first."""
        found = [
            uri
            for uri in self._gone_by_hash.get(prepared.document.content_hash, ())
            if uri in self._gone and uri not in written.left and self._entries.get(uri) == self._planned[uri]
        ]
        name = prepared.document.uri.rpartition("/")[2]
        return next((uri for uri in found if uri.rpartition("/")[2] == name), found[0] if found else None)

    def _refused_before(self, skipped: Skipped) -> bool:
        known = self._entries.get(skipped.uri)
        return known is not None and known.outcome is Verdict.SKIPPED and known.reason == skipped.reason

    def _drop(self, uri: str, written: _Written) -> None:
        known = self._entries.get(uri)
        if known is not None and known.document_id is not None:
            self._store.documents.remove(self._project, document_id(self._project, self._collection.id, uri))
            written.report.removed += 1


def _tell(outcome: Outcome, report: CollectionReport) -> None:
    uri, result = outcome.file.uri, outcome.result
    if isinstance(result, Failure):
        (report.skipped if result.refused else report.failed).append(Problem(uri, result.reason))
    else:
        report.warned += [Problem(uri, warning) for warning in result.document.warnings]
        report.bytes += outcome.file.stamp.size
