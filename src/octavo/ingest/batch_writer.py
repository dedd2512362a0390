"""Writes prepared files into a library, a transaction for each batch, and takes out what left the disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from octavo.errors import Conflict, OctavoError
from octavo.fast_dataclass import dataclass
from octavo.graph.edge_extraction import linked
from octavo.ingest.indexing_report import CollectionReport, Problem
from octavo.ingest.prepared_file import PreparationFailure, PreparedFile, Unpacked
from octavo.ingest.prepared_file_batches import BATCH_FILES
from octavo.ingest.provisional_fast_vectors import put_fast
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.folder_scan import SkippedFile, container
from octavo.model.ids import ChunkKey, DocumentId, ProjectId, RecipeId, document_id
from octavo.model.indexing_ledger import FileOutcome, FileStamp, LedgerEntry
from octavo.model.link_graph import DocumentLinks
from octavo.model.prepared_document import IndexedChunk, PreparedDocument
from octavo.model.projects_and_collections import Collection
from octavo.observability.logs import logger
from octavo.sql_repositories.store import Store

_LOG = logger("ingest")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a run writes: a collection, by a recipe. `paths` are those the run is confined to, None being all of it;
    vectors that were made with the files are of the profile `fast`."""

    store: Store
    collection: Collection
    recipe_id: RecipeId
    paths: Sequence[str] | None = None
    fast: EmbeddingProfile | None = None

    @property
    def project(self) -> ProjectId:
        return self.collection.project_id

    def ledger(self) -> Mapping[str, LedgerEntry]:
        ledger = self.store.ledger
        if self.paths is None:
            return ledger.entries(self.project, self.collection.id)
        return ledger.at(self.project, self.collection.id, self.paths)


@dataclass(frozen=True, slots=True)
class Planned:
    """What a plan was made from: the ledger at a generation of the library, and the uris in it that left the disk."""

    generation: int
    entries: Mapping[str, LedgerEntry]
    gone: Sequence[str] = ()


def known_files(target: Target, before: Planned | None = None) -> Planned:
    """What the library knows of the target's files: as read `before`, unless something was written since."""
    with target.store.reading():
        generation = target.store.generation()
        if before is not None and before.generation == generation:
            return before
        return Planned(generation, target.ledger())


@dataclass(slots=True)
class _Batch:
    """What one transaction writes: counted only once it is committed."""

    report: CollectionReport
    prepared: list[PreparedDocument] = field(default_factory=list)
    chunks: list[tuple[ChunkKey, IndexedChunk]] = field(default_factory=list)
    recorded: list[LedgerEntry] = field(default_factory=list)
    linked: list[DocumentLinks] = field(default_factory=list)
    touched: list[tuple[DocumentId, float]] = field(default_factory=list)
    """Documents whose files were modified later, or earlier, and say the same."""
    removed: list[str] = field(default_factory=list)
    """Uris whose ledger rows go: their documents moved, or left the disk."""


class BatchWriter:
    """Writes prepared files and remembers which files that left the disk were found again under another name.

    Other processes may write meanwhile: whenever the generation has moved on, the ledger is read again, inside the
    transaction that depends on it.
    """

    def __init__(self, target: Target, planned: Planned, report: CollectionReport, *, postpone: bool = False) -> None:
        self._target = target
        self._store = target.store
        self._collection = target.collection
        self._project = target.project
        self._generation = planned.generation
        self._planned = planned.entries
        self._entries = dict(planned.entries)
        self._report = report
        self._postpone = postpone
        self._members: dict[str, list[str]] | None = None
        self._gone = dict.fromkeys(planned.gone)
        self._gone_by_hash: dict[str, list[str]] = {}
        for uri in planned.gone:
            entry = planned.entries[uri]
            if entry.outcome is FileOutcome.INDEXED:
                self._gone_by_hash.setdefault(entry.content_hash, []).append(uri)

    def write(self, files: Sequence[PreparedFile]) -> None:
        """All in one transaction. If one of them cannot be written, each has its own: a bad file costs only itself."""
        fresh = [prepared for prepared in files if not self._nothing_new(prepared)]
        if not fresh:
            return
        try:
            with self._store.transaction():
                batch = self._begin()
                for prepared in fresh:
                    self._write(prepared, batch)
                self._put_rows(batch)
        except Exception as error:
            # The disk, the lock and the library itself are everyone's trouble, and not one document's.
            if isinstance(error, OctavoError) and not isinstance(error, Conflict):
                raise
            if len(fresh) > 1:
                for prepared in fresh:
                    self.write([prepared])
                return
            if isinstance(fresh[0].result, PreparationFailure):
                raise
            reason = f"it could not be stored: {type(error).__name__}: {error}"
            self.write([PreparedFile(fresh[0].file, PreparationFailure(reason))])
            return
        self._committed(batch)

    def finish(self, skipped: Sequence[SkippedFile]) -> None:
        """Removes what left the disk, and records with its reason what is refused."""
        refused = [file for file in skipped if not self._refused_before(file)]
        gone = list(self._gone)  # each batch takes what it removed from the original
        for start in range(0, len(gone), BATCH_FILES):
            self._remove(gone[start : start + BATCH_FILES], ())
        for start in range(0, len(refused), BATCH_FILES):
            self._remove((), refused[start : start + BATCH_FILES])
        self.resolve_links()

    def resolve_links(self) -> None:
        """Seldom: in between, most of what links ask for is still to come."""
        if self._store.graph.has_stale_references(self._project):
            with self._store.transaction():
                self._store.graph.resolve_references(self._project)
            self._generation += 1

    def _remove(self, gone: Sequence[str], refused: Sequence[SkippedFile]) -> None:
        with self._store.transaction():
            batch = self._begin()
            for uri in gone:
                # A row that is not the planned one was written by someone who saw the file after this run did.
                if self._entries.get(uri) == self._planned[uri]:
                    self._drop(uri, batch)
                    batch.removed.append(uri)
            for file in refused:
                if self._entries.get(file.uri) == self._planned.get(file.uri):
                    self._drop(file.uri, batch)
                    entry = LedgerEntry(file.uri, FileOutcome.SKIPPED, FileStamp(0, 0, 0), reason=file.reason)
                    batch.recorded.append(entry)
            self._put_rows(batch)
        self._committed(batch)

    def _begin(self) -> _Batch:
        generation = self._store.generation()
        if generation != self._generation:
            self._generation = generation
            self._entries = dict(self._target.ledger())
            self._members = None
        return _Batch(CollectionReport(self._collection.name))

    def _put_rows(self, batch: _Batch) -> None:
        """The rows of a whole batch together, which is several times faster."""
        keys = self._store.documents.put_all(self._project, self._collection.id, batch.prepared)
        for prepared, chunk_keys in zip(batch.prepared, keys, strict=True):
            batch.chunks += zip(chunk_keys, prepared.chunks, strict=True)
        self._store.lexical.put(self._project, [(key, indexed.lexical) for key, indexed in batch.chunks])
        if self._postpone:
            self._store.embeddings.postpone(self._project, [key for key, _ in batch.chunks])
        else:
            self._expect(batch)
        self._store.graph.put(self._project, self._collection.id, batch.linked, resolve=False)
        self._store.documents.touch(self._project, batch.touched)
        self._store.ledger.forget(self._project, self._collection.id, batch.removed)
        self._store.ledger.record(self._project, self._collection.id, batch.recorded)

    def _expect(self, batch: _Batch) -> None:
        fresh = self._store.embeddings.expect(self._project, [(key, indexed.inputs) for key, indexed in batch.chunks])
        fast = self._target.fast
        if fast is not None:
            inputs = [made for _, indexed in batch.chunks for made in indexed.inputs]
            batch.report.fast_vectors += put_fast(self._store, self._project, fast, inputs, fresh)

    def _committed(self, batch: _Batch) -> None:
        self._generation += 1
        for uri in batch.removed:
            self._entries.pop(uri, None)
            self._gone.pop(uri, None)
        self._entries |= {entry.uri: entry for entry in batch.recorded}
        self._report.include(batch.report)

    def _write(self, prepared: PreparedFile, batch: _Batch) -> None:
        result, entry, known = prepared.result, self._entry(prepared), self._entries.get(prepared.file.uri)
        _report_on(prepared, batch.report)
        batch.recorded.append(entry)
        if prepared.members is not None:
            self._drop_members(prepared.file.uri, prepared.members, batch)
        if isinstance(result, PreparationFailure):
            if result.refused:
                self._drop(entry.uri, batch)
        elif isinstance(result, Unpacked):
            self._drop(entry.uri, batch)
        elif known is not None and known._replace(stamp=entry.stamp) == entry:
            batch.report.unchanged += 1
            if known.stamp.mtime_ns != entry.stamp.mtime_ns:
                batch.touched.append((result.document.id, result.document.modified_at))
        else:
            self._put(result, batch, indexed_before=known is not None and known.document_id is not None)

    def _entry(self, prepared: PreparedFile) -> LedgerEntry:
        file, result = prepared.file, prepared.result
        if isinstance(result, PreparedDocument):
            document = result.document
            return LedgerEntry(
                uri=file.uri,
                outcome=FileOutcome.INDEXED,
                stamp=file.stamp,
                content_hash=document.content_hash,
                recipe_id=self._target.recipe_id,
                document_id=document.id,
                warnings=document.warnings,
            )
        if isinstance(result, Unpacked):
            return LedgerEntry(
                file.uri, FileOutcome.INDEXED, file.stamp, recipe_id=self._target.recipe_id, warnings=result.warnings
            )
        # What was indexed before stays: a file that cannot be read is no evidence that its content is gone.
        # One that is refused was read, and holds something else by now.
        known = None if result.refused else self._entries.get(file.uri)
        return LedgerEntry(
            uri=file.uri,
            outcome=FileOutcome.SKIPPED if result.refused else FileOutcome.FAILED,
            stamp=file.stamp,
            content_hash=known.content_hash if known else "",
            recipe_id=None if result.passing else self._target.recipe_id,  # without one it is looked at on every run
            document_id=known.document_id if known else None,
            reason=result.reason,
        )

    def _drop_members(self, uri: str, members: Sequence[str], batch: _Batch) -> None:
        """Removes what was in a file before and is not any more."""
        for gone in self._members_of(uri).difference(members):
            self._drop(gone, batch)
            batch.removed.append(gone)

    def _members_of(self, uri: str) -> set[str]:
        """What the ledger says is inside of a file."""
        if self._members is None:
            self._members = {}
            for known in self._entries:
                if (outer := container(known, self._entries)) is not None:
                    self._members.setdefault(outer, []).append(known)
        return set(self._members.get(uri, ()))

    def _nothing_new(self, prepared: PreparedFile) -> bool:
        """Whether the ledger says all this already: then there is nothing to write."""
        known = self._entries.get(prepared.file.uri)
        if known is None or self._entry(prepared) != known:
            return False
        if prepared.members is not None and self._members_of(prepared.file.uri).difference(prepared.members):
            return False
        _report_on(prepared, self._report)
        self._report.unchanged += isinstance(prepared.result, PreparedDocument)
        return True

    def _put(self, prepared: PreparedDocument, batch: _Batch, *, indexed_before: bool) -> None:
        document, report = prepared.document, batch.report
        batch.linked.append(prepared.linked or linked(document))
        source = None if indexed_before or not document.text else self._moved_from(prepared, batch)
        if source is not None:
            keys = self._store.documents.move(self._project, self._collection.id, source, prepared)
            batch.removed.append(source)
            batch.chunks += zip(keys, prepared.chunks, strict=True)
            report.moved += 1
            _LOG.debug("moved: %s", prepared.document.uri)
        else:
            batch.prepared.append(prepared)
            report.changed += indexed_before
            report.added += not indexed_before
            _LOG.debug("changed: %s" if indexed_before else "added: %s", prepared.document.uri)
        report.chunks += len(prepared.chunks)

    def _moved_from(self, prepared: PreparedDocument, batch: _Batch) -> str | None:
        """A file that left the disk with this content: one of the same name if there are several, else the first."""
        uris = [
            uri
            for uri in self._gone_by_hash.get(prepared.document.content_hash, ())
            if uri in self._gone and uri not in batch.removed and self._entries.get(uri) == self._planned[uri]
        ]
        name = prepared.document.uri.rpartition("/")[2]
        return next((uri for uri in uris if uri.rpartition("/")[2] == name), uris[0] if uris else None)

    def _refused_before(self, skipped: SkippedFile) -> bool:
        known = self._entries.get(skipped.uri)
        return known is not None and known.outcome is FileOutcome.SKIPPED and known.reason == skipped.reason

    def _drop(self, uri: str, batch: _Batch) -> None:
        known = self._entries.get(uri)
        if known is not None and known.document_id is not None:
            self._store.documents.remove(self._project, document_id(self._project, self._collection.id, uri))
            batch.report.removed += 1
            _LOG.debug("removed: %s", uri)


def _report_on(prepared: PreparedFile, report: CollectionReport) -> None:
    uri, result = prepared.file.uri, prepared.result
    if isinstance(result, PreparationFailure):
        (report.skipped if result.refused else report.failed).append(Problem(uri, result.reason))
    else:
        warnings = result.warnings if isinstance(result, Unpacked) else result.document.warnings
        report.warned += [Problem(uri, warning) for warning in warnings]
        report.bytes += prepared.size
