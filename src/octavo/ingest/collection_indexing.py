"""Indexes a folder: scan → plan → prepare → a short transaction per batch. Stopping anywhere leaves a valid library."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence, Set
from contextlib import closing
from typing import Protocol

from octavo.fast_dataclass import dataclass, replace
from octavo.ingest.batch_writer import BatchWriter, Planned, Target, known_files
from octavo.ingest.indexing_plan import plan
from octavo.ingest.indexing_report import CollectionReport, Problem
from octavo.ingest.prepared_file import Origin, PreparedFile
from octavo.ingest.prepared_file_batches import batches, rare_garbage_collection, with_progress
from octavo.model.document import Source
from octavo.model.file_formats import format_of
from octavo.model.folder_scan import Scan, SeenFile, container, is_under
from octavo.model.ids import RecipeId, recipe_id, text_hash
from octavo.model.index_recipe import Recipe
from octavo.model.indexing_ledger import FileOutcome, FileStamp, LedgerEntry
from octavo.model.prepared_document import PreparedDocument
from octavo.observability.progress import Progress

# Of the bytes of a run: links are resolved once at this point, while files are still being prepared, and at the end
# only what has changed since. The last step of a run, during which nothing else goes on, stays short.
_RESOLVE_LINKS_AT = 0.8


_STARTING = 2_000  # bytes of text that are read in the time that handing a document over takes


class Preparers(Protocol):
    """Prepares files, here or in other processes, in any order."""

    def prepare(self, origin: Origin, files: Sequence[SeenFile]) -> Generator[PreparedFile, None, None]: ...


@dataclass(frozen=True, slots=True)
class CollectionRun:
    """One run over a collection.

    `preparers` are made for so many bytes: one edited note in a large folder does not wait for processes to start.
    `reread` reads everything, whatever its stamp says; `prefix` confines the run to uris that start so.
    """

    target: Target
    origin: Origin
    preparers: Callable[[int], Preparers]
    reread: bool = False
    prefix: str = ""


def index_collection(run: CollectionRun, known: Planned, scan: Scan, progress: Progress) -> CollectionReport:
    """Brings the library in step with what the scan saw, reading what changed. `known` is what the library knew of
    these files before the scan.

    Inputs that the origin does without are left to `make_postponed`, if all there is to read is new: a document that
    changed or moved keeps the vectors of what stayed the same in it.
    """
    target = run.target
    known = known_files(target, known)
    generation, entries = known.generation, known.entries
    if run.prefix:
        entries = {uri: entry for uri, entry in entries.items() if is_under(uri, run.prefix)}
        scan = scan.under(run.prefix)
    todo = plan(scan, entries, target.recipe_id, reread=run.reread)
    report = CollectionReport(target.collection.name, doubtful=len(todo.doubtful))
    report.skipped = [Problem(skipped.uri, skipped.reason) for skipped in todo.refused]
    # What was refused for its content stays refused while that is the same: a run says so every time.
    same = _unchanged_entries(scan, entries, {file.uri for file in todo.read})
    refused = [entry for entry in same if entry.outcome is FileOutcome.SKIPPED]
    report.skipped += [Problem(entry.uri, entry.reason) for entry in refused]
    report.unchanged = sum(entry.outcome is FileOutcome.FAILED or entry.document_id is not None for entry in same)
    report.unreadable = [Problem(skipped.uri, skipped.reason) for skipped in scan.unreadable]
    indexed = (entry for file in todo.read if (entry := entries.get(file.uri)) and entry.document_id is not None)
    anew = not todo.gone and next(indexed, None) is None
    origin = replace(run.origin, inputs=run.origin.inputs or not anew)
    writer = BatchWriter(target, Planned(generation, entries, todo.gone), report, postpone=not origin.inputs)
    # What is converted comes last, what is quick first: text is searchable while a long document is still being read.
    efforts = {file.uri: _converting_effort(file) for file in todo.read}
    files = sorted(todo.read, key=lambda file: efforts[file.uri])
    size = sum(file.stamp.size for file in files)
    progress.start(target.collection.name, size, "B")
    try:
        if files:
            preparers = run.preparers(size + sum(efforts.values()))
            _write(writer, preparers.prepare(origin, files), size, progress)
        writer.finish(scan.skipped)
    finally:
        progress.finish()
    return report


def _write(writer: BatchWriter, outcomes: Generator[PreparedFile, None, None], size: int, progress: Progress) -> None:
    # Closed here and not whenever it is collected: other processes end with the run, however it ends.
    with rare_garbage_collection(), closing(outcomes) as prepared:
        written, early = 0, round(size * _RESOLVE_LINKS_AT)
        for batch in batches(with_progress(prepared, progress)):
            writer.write(batch)
            before, written = written, written + sum(item.size for item in batch)
            if before < early <= written < size:
                writer.resolve_links()


def _unchanged_entries(scan: Scan, entries: Mapping[str, LedgerEntry], read: Set[str]) -> list[LedgerEntry]:
    """What the ledger has of files that need not be read, and of what is inside of them."""
    unchanged = {file.uri for file in scan.files} - read
    return [entry for uri, entry in entries.items() if uri in unchanged or container(uri, unchanged) is not None]


def _converting_effort(file: SeenFile) -> int:
    """Of converting a file, as bytes of text that are read in that time; 0 for text, and for what mostly is."""
    known = format_of(file.uri)
    return 0 if known is None or known.sniffs else known.effort * (file.stamp.size + _STARTING)


def recorded_as(recipe: Recipe, origin: Origin) -> RecipeId:
    """What a ledger row names: the recipe, and what the collection says of every document, if it says anything."""
    if origin.kind is None and not origin.tags and not origin.allow_secrets:
        return recipe.id
    allowed = ["allow_secrets"] if origin.allow_secrets else []
    return recipe_id(json.dumps([recipe.canonical(), origin.kind, origin.tags, *allowed]))


def index_sources(
    target: Target, prepare: Callable[[Source], PreparedDocument], sources: Sequence[Source], progress: Progress
) -> CollectionReport:
    """Takes in texts that come from elsewhere than a folder: a data set, an export. Nothing is removed."""
    planned = known_files(target)
    report = CollectionReport(target.collection.name)
    writer = BatchWriter(target, planned, report)
    fresh = []
    for source in sources:
        known = planned.entries.get(source.uri)
        if known is None or known.recipe_id != target.recipe_id or known.content_hash != text_hash(source.text):
            fresh.append(source)
    report.unchanged = len(sources) - len(fresh)
    progress.start(target.collection.name, len(fresh), "documents")
    try:
        for batch in batches(_prepared(source, prepare) for source in fresh):
            writer.write(batch)
            progress.advance(len(batch), batch[-1].file.uri)
        writer.resolve_links()
    finally:
        progress.finish()
    return report


def _prepared(source: Source, prepare: Callable[[Source], PreparedDocument]) -> PreparedFile:
    stamp = FileStamp(len(source.text), int(source.modified_at * 1e9), 0)
    return PreparedFile(SeenFile(source.uri, source.uri, stamp), prepare(source))
