"""Indexes an open library's folders, or only the paths that changed, and fills in vectors; one run at a time.

Called under the library's `builds`, which allow one run at a time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from octavo.engine.indexing.full_vector_upgrade import embed_by_fallback, embed_newest, make_inputs, upgrade
from octavo.engine.indexing.git_history_updates import index_histories
from octavo.engine.indexing.index_upkeep_after_run import publish
from octavo.engine.indexing.recorded_index_recipe import ensure_recipe, unredacted
from octavo.engine.open_project_memories import project_memories
from octavo.errors import NotIndexed, SourceError
from octavo.fast_dataclass import replace
from octavo.ingest.batch_writer import Planned, Target, known_files
from octavo.ingest.chunk_embedding import embed_pending
from octavo.ingest.collection_indexing import CollectionRun, Preparers, index_collection, index_sources, recorded_as
from octavo.ingest.embedding_profile_switch import missing as missing_vectors
from octavo.ingest.indexing_plan import plan
from octavo.ingest.indexing_report import CollectionReport, IndexReport, Problem
from octavo.ingest.prepared_file import Origin
from octavo.ingest.provisional_fast_vectors import Filled, embed_fast, embed_in_tiers
from octavo.jobs.follow_up_job_queueing import queue_entities, queue_graph_jobs, queue_snapshot, queue_summaries
from octavo.memory.stored_text_redaction import redact_stored
from octavo.model.document import Source
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.folder_scan import KnownFiles, Scan
from octavo.model.indexing_ledger import REDACTED, FileOutcome, LedgerEntry
from octavo.model.job import JobKind
from octavo.model.projects_and_collections import Collection
from octavo.note_editing.folder_lock import finish_writes
from octavo.observability.progress import Progress

if TYPE_CHECKING:
    from octavo.engine.indexing.index_options import IndexOptions
    from octavo.engine.open_project_library import OpenLibrary

Changes = Mapping[str, Sequence[str] | None]
"""Paths by the name of their collection; None is everything."""

_NEWEST = 256  # inputs embedded in the run that wrote them


def index_folders(library: OpenLibrary, options: IndexOptions, progress: Progress) -> IndexReport:
    """Compares collections with the disk, takes in what changed, fills in vectors."""
    started = time.perf_counter()
    chosen = [library.collection(name) for name in options.names] or list(library.collections())
    chosen = [collection for collection in chosen if collection.on_disk]
    if not chosen:
        raise NotIndexed("the library has no collections", hint="run `octavo add FOLDER --name NAME`")
    store, project = library.store, library.project.id
    made_before = unredacted(store.catalog.recipe(project), library.recipe())
    ensure_recipe(library)
    reports, missing, looked_at = [], [], []
    fast = library.active.fast_profile if options.embed and not options.wait_full else None
    for collection in chosen:
        finish_writes(collection.root, library.journals(collection))
        try:
            started_at = library.adapters.clock()
            target = _target(library, collection, fast=fast)
            known = known_files(target)
            seen = _known(library, collection, known.entries, options.confirm_removals)
            scan = library.scan(collection, seen, None)
        except SourceError as error:
            # An unmounted root is no evidence that its files are gone.
            missing.append(Problem(collection.name, error.message))
            continue
        report = _index(
            library,
            target,
            known,
            scan,
            progress,
            reread=options.reread,
            prefix=options.prefix,
            inputs=options.embed,
        )
        reports.append(report)
        looked_at.append((collection, scan, report))
        if not options.prefix:
            store.ledger.note_check(project, collection.id, started_at)
    if not options.prefix:
        index_histories(library, looked_at, progress, reread=options.reread)
    _redact_stored(library, reports, everything=made_before)
    filled = Filled()
    if options.embed:
        # Without vectors there will be another run, and what that finds changed would need another snapshot.
        filled = fill_in_vectors(library, progress, wait=options.wait_full)
        publish(library, progress)
    elif missing_vectors(store, project, library.active.embedder):  # counted now: freshness may be older than the run
        with store.transaction():
            store.outbox.enqueue(project, JobKind.EMBED, "full vectors", {})
    queue_graph_work(library, reports)
    given = filled.fast + sum(report.fast_vectors for report in reports)
    return IndexReport(tuple(reports), tuple(missing), filled.full, time.perf_counter() - started, given)


def _redact_stored(library: OpenLibrary, reports: Sequence[CollectionReport], *, everything: bool) -> None:
    """Redacts what was stored before: all of it, or what the files said that were redacted in this run."""
    hashes = set[str]()
    for report in reports if not everything else ():
        for uri in {warned.uri for warned in report.warned if warned.reason.startswith(REDACTED)}:
            for document in library.store.documents.find(library.project.id, uri, library.collection(report.name).id):
                versions = library.store.documents.versions(library.project.id, document.id)
                hashes.update(version.text_hash for version in versions)
    if everything or hashes:
        redact_stored(project_memories(library), None if everything else hashes)


def index_changes(
    library: OpenLibrary, changes: Changes, progress: Progress, *, jobs_run_here: bool = False
) -> IndexReport:
    """Takes in what happened at and below some paths of some collections, by name, without looking anywhere else."""
    started = time.perf_counter()
    ensure_recipe(library)
    known = {collection.name: collection for collection in library.collections()}
    reports, missing = [], []
    store, project = library.store, library.project.id
    for name, paths in changes.items():
        collection = known.get(name)
        if collection is None:
            continue  # taken out of the library since
        try:
            started_at = library.adapters.clock()
            target = _target(library, collection, paths=paths)
            before = known_files(target)
            scan = library.scan(collection, _known(library, collection, before.entries), paths)
        except SourceError as error:
            missing.append(Problem(name, error.message))
            continue
        reports.append(_index(library, target, before, scan, progress))
        if paths is None:
            index_histories(library, [(collection, scan, reports[-1])], progress)
            store.ledger.note_check(project, collection.id, started_at)
    # What was just written comes before what waits since longer; a flood of it is left to `embed`.
    written = min(_NEWEST, 2 * sum(report.chunks for report in reports))
    filled = fill_in_vectors(library, progress, wait=False) if written == _NEWEST else Filled()
    embedded = filled.full + embed_newest(library, written, progress)
    _publish_or_queue(library, progress, by_job=jobs_run_here)
    queue_graph_work(library, reports)
    return IndexReport(tuple(reports), tuple(missing), embedded, time.perf_counter() - started, filled.fast)


def embed_some(library: OpenLibrary, limit: int, progress: Progress) -> IndexReport:
    started = time.perf_counter()
    embedded = upgrade(library, limit, progress)
    return IndexReport((), (), embedded, time.perf_counter() - started)


def index_texts(
    library: OpenLibrary, collection: Collection, sources: Sequence[Source], progress: Progress
) -> CollectionReport:
    ensure_recipe(library)
    settings = collection.settings
    prepare = library.adapters.preparing.preparer(settings).text
    target = Target(library.store, collection, library.cut_by(settings).id)
    if settings.allow_secrets:
        sources = [replace(source, allow_secrets=True) for source in sources]
    report = index_sources(target, prepare, sources, progress)
    active = library.active
    embed_by_fallback(library, progress)
    embed_pending(library.store, library.project.id, active.embedder, progress, fast=active.fast_profile)
    publish(library, progress)
    return report


def fill_in_vectors(library: OpenLibrary, progress: Progress, *, wait: bool) -> Filled:
    """Fast vectors for everything that waits, and full ones for as much as is worth waiting for; how many."""
    make_inputs(library, progress)
    full, fast = library.active.embedder, library.active.fast
    if library.adapters.constrained() and not wait:
        if fast is None:
            return Filled()
        return Filled(fast=embed_fast(library.store, library.project.id, fast, full.profile, progress))
    embed_by_fallback(library, progress)
    return embed_in_tiers(library.store, library.project.id, full, fast, progress, embed_pending, wait=wait)


def _publish_or_queue(library: OpenLibrary, progress: Progress, *, by_job: bool) -> None:
    """A snapshot now, or by a job where this process runs jobs: the next change is not kept waiting."""
    accelerator = library.active.accelerator
    if accelerator is None or not by_job:
        publish(library, progress)
    elif accelerator.upkeep.due():
        queue_snapshot(library.store, library.project.id)


def queue_graph_work(library: OpenLibrary, reports: Sequence[CollectionReport]) -> None:
    """Graph and summaries follow the documents: a worker, or one beside a server, sees to it."""
    if any(report.added or report.changed or report.moved or report.removed for report in reports):
        queue_graph_jobs(library.store, library.project.id)
        queue_entities(library.store, library.project.id)
        queue_summaries(library.store, library.project, library.active.profile)


def is_stale(library: OpenLibrary, collection: Collection, paths: Sequence[str] | None) -> bool:
    """Whether a run would find something to do here: a look by `stat`, which takes no lease.

    That everything was as it should be is noted, as after a run.
    """
    store, project = library.store, library.project.id
    target = _target(library, collection, paths=paths)
    entries = known_files(target).entries
    started_at = library.adapters.clock()
    scan = library.scan(collection, _known(library, collection, entries), paths)
    todo = plan(scan, entries, target.recipe_id)
    refused = {file.uri: file.reason for file in todo.refused}
    known = {
        uri: entries[uri].reason for uri in refused if uri in entries and entries[uri].outcome is FileOutcome.SKIPPED
    }
    stale = bool(todo.read or todo.gone or refused != known)
    if not stale and paths is None:
        store.ledger.note_check(project, collection.id, started_at)
    return stale


def _known(
    library: OpenLibrary, collection: Collection, entries: Mapping[str, LedgerEntry], confirmed: bool = False
) -> KnownFiles:
    checked_at = library.store.ledger.checks(library.project.id).get(collection.id)
    stamps = {uri: entry.stamp for uri, entry in entries.items()}
    return KnownFiles(stamps, checked_at=checked_at, confirmed=confirmed)


def _origin(library: OpenLibrary, collection: Collection, *, inputs: bool = True) -> Origin:
    settings = collection.settings
    return Origin(
        project=library.project.id,
        collection=collection.id,
        kind=settings.kind,
        tags=settings.tags,
        max_file_bytes=settings.max_file_bytes or library.config.ingest.max_file_bytes,
        max_document_bytes=settings.max_file_bytes or library.config.converting.max_file_bytes,
        allow_secrets=settings.allow_secrets,
        inputs=inputs,
    )


def _target(
    library: OpenLibrary,
    collection: Collection,
    *,
    paths: Sequence[str] | None = None,
    fast: EmbeddingProfile | None = None,
) -> Target:
    recipe_id = recorded_as(library.cut_by(collection.settings), _origin(library, collection))
    return Target(library.store, collection, recipe_id, paths, fast)


def _index(
    library: OpenLibrary,
    target: Target,
    known: Planned,
    scan: Scan,
    progress: Progress,
    *,
    reread: bool = False,
    prefix: str = "",
    inputs: bool = True,
) -> CollectionReport:
    origin = _origin(library, target.collection, inputs=inputs)
    settings = target.collection.settings

    def preparers(size: int) -> Preparers:  # which import every parser: most runs find nothing to read
        return library.adapters.preparing.preparers(settings, target.fast, size)

    return index_collection(CollectionRun(target, origin, preparers, reread, prefix), known, scan, progress)
