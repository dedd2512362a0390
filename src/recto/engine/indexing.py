"""The writing flow over an engine's parts: whole folders, or just the paths that changed.

Called under the engine's `builds`, which keep one run at a time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from recto.engine.histories import index_histories
from recto.engine.parts import IndexReport
from recto.engine.recipes import settle_recipe
from recto.engine.upgrading import embed_newest, fast_profile, make_inputs, upgrade
from recto.errors import LibraryError, NotIndexed, SourceError, StorageError
from recto.ingest.embed import embed_pending
from recto.ingest.fast import Filled, embed_fast, embed_in_tiers
from recto.ingest.pipeline import index_collection, index_sources, made_by
from recto.ingest.plan import plan
from recto.ingest.prepare import Origin
from recto.ingest.profiles import missing as missing_vectors
from recto.ingest.report import CollectionReport, Problem
from recto.jobs.graph import promise
from recto.jobs.handlers import promise_snapshot
from recto.model.collection import Collection
from recto.model.document import Source
from recto.model.job import JobKind
from recto.model.ledger import FileStamp, LedgerEntry, Outcome
from recto.model.recipe import EmbeddingProfile
from recto.observability.logs import logger
from recto.observability.progress import Progress

if TYPE_CHECKING:
    from recto.engine.engine import Engine
    from recto.sources.files import Scan

Changes = Mapping[str, Sequence[str] | None]
"""Paths by the name of their collection; None is everything."""

_NEWEST = 256  # inputs embedded in the run that wrote them


def index_folders(
    engine: Engine,
    names: Sequence[str],
    progress: Progress,
    *,
    embed: bool = True,
    reread: bool = False,
    prefix: str = "",
    wait_full: bool = False,
) -> IndexReport:
    """Compares the named collections (all when none is named) with the disk, takes in what moved, fills in vectors."""
    started = time.perf_counter()
    chosen = [engine.collection(name) for name in names] or list(engine.collections())
    chosen = [one for one in chosen if one.on_disk]
    if not chosen:
        raise NotIndexed("the library has no collections", hint="run `recto add FOLDER --name NAME`")
    settle_recipe(engine)
    reports, missing, looked_at = [], [], []
    store, project = engine.store, engine.project.id
    fast = fast_profile(engine) if embed and not wait_full else None
    for collection in chosen:
        try:
            scan = engine._parts.scan(collection, _stamps(engine, collection, None), None)
        except SourceError as error:
            # An unmounted root is no evidence that its files are gone.
            missing.append(Problem(collection.name, error.message))
            continue
        reports.append(
            _index(engine, collection, scan, progress, reread=reread, prefix=prefix, fast=fast, inputs=embed)
        )
        looked_at.append((collection, scan, reports[-1]))
        if not prefix:
            store.ledger.note_check(project, collection.id)
    if not prefix:
        index_histories(engine, looked_at, progress, reread=reread)
    filled = Filled()
    if embed:
        # Without vectors there will be another run, and what that finds changed would need another snapshot.
        filled = fill_in_vectors(engine, progress, wait=wait_full)
        publish(engine, progress)
    elif missing_vectors(store, project, engine.embedder):  # counted now: freshness may be that of before this run
        with store.transaction():
            store.outbox.enqueue(project, JobKind.EMBED, "full vectors", {})
    promise_graph_work(engine, reports)
    given = filled.fast + sum(report.fast_vectors for report in reports)
    return IndexReport(tuple(reports), tuple(missing), filled.full, time.perf_counter() - started, given)


def index_changes(engine: Engine, changes: Changes, progress: Progress) -> IndexReport:
    """Takes in what happened at and below some paths of some collections, by name, without looking anywhere else."""
    started = time.perf_counter()
    settle_recipe(engine)
    known = {collection.name: collection for collection in engine.collections()}
    reports, missing = [], []
    store, project = engine.store, engine.project.id
    for name, paths in changes.items():
        collection = known.get(name)
        if collection is None:
            continue  # taken out of the library since
        try:
            scan = engine._parts.scan(collection, _stamps(engine, collection, paths), paths)
        except SourceError as error:
            missing.append(Problem(name, error.message))
            continue
        reports.append(_index(engine, collection, scan, progress, paths=paths))
        if paths is None:
            index_histories(engine, [(collection, scan, reports[-1])], progress)
            store.ledger.note_check(project, collection.id)
    # What was just written comes before what waits since longer; a flood of it is left to `embed`.
    written = min(_NEWEST, 2 * sum(report.chunks for report in reports))
    filled = fill_in_vectors(engine, progress, wait=False) if written == _NEWEST else Filled()
    embedded = filled.full + embed_newest(engine, written, progress)
    _publish_beside(engine, progress)
    promise_graph_work(engine, reports)
    return IndexReport(tuple(reports), tuple(missing), embedded, time.perf_counter() - started, filled.fast)


def embed_some(engine: Engine, limit: int, progress: Progress) -> IndexReport:
    started = time.perf_counter()
    embedded = upgrade(engine, limit, progress)
    return IndexReport((), (), embedded, time.perf_counter() - started)


def index_texts(
    engine: Engine, collection: Collection, sources: Sequence[Source], progress: Progress
) -> CollectionReport:
    settle_recipe(engine)
    settings = collection.settings
    prepare = engine._parts.preparer(settings).text
    report = index_sources(engine.store, collection, engine.recipe(settings), prepare, sources, progress)
    embed_pending(engine.store, engine.project.id, engine.embedder, progress, fast=fast_profile(engine))
    publish(engine, progress)
    return report


def fill_in_vectors(engine: Engine, progress: Progress, *, wait: bool) -> Filled:
    """Fast vectors for everything that waits, and full ones for as much as is worth waiting for; how many."""
    make_inputs(engine, progress)
    full, make = engine.embedder, engine._parts.fast
    fast = None if make is None else make(full)
    if engine._parts.constrained() and not wait:
        if fast is None:
            return Filled()
        return Filled(fast=embed_fast(engine.store, engine.project.id, fast, full.profile, progress))
    return embed_in_tiers(engine.store, engine.project.id, full, fast, progress, embed_pending, wait=wait)


def publish(engine: Engine, progress: Progress) -> None:
    """A new snapshot, if the library has moved away from the last. The old one answers until it is there."""
    try:
        if engine.accelerator is not None:
            engine.accelerator.publish_if_due(progress)
        else:
            # A server makes indexes of its own instead, where it has one to make.
            engine.store.settle(engine.project.id, engine.embedder.profile)
    except (StorageError, LibraryError) as error:
        # The library is whole and answers by itself: a full disk must not fail the run that filled it.
        logger("engine").warning("no snapshot was made: %s", error.message)


def _publish_beside(engine: Engine, progress: Progress) -> None:
    """The same, by a worker where one works in this process: the next change is not kept waiting."""
    if engine.accelerator is None or not engine.working.active:
        publish(engine, progress)
    elif engine.accelerator.due():
        promise_snapshot(engine.store, engine.project.id)


def promise_graph_work(engine: Engine, reports: Sequence[CollectionReport]) -> None:
    """Communities and thematic links follow the documents: a worker, or one beside a server, sees to it."""
    if any(report.added or report.changed or report.moved or report.removed for report in reports):
        promise(engine.store, engine.project.id)


def is_stale(engine: Engine, collection: Collection, paths: Sequence[str] | None) -> bool:
    """Whether a run would find something to do here: a look by `stat`, which takes no lease.

    That everything was as it should be is noted, as after a run.
    """
    settings, store, project = collection.settings, engine.store, engine.project.id
    with store.reading():
        entries = _entries(engine, collection, paths)
    scan = engine._parts.scan(collection, {uri: entry.stamp for uri, entry in entries.items()}, paths)
    todo = plan(scan, entries, made_by(engine.recipe(settings), _origin(engine, collection)))
    refused = {one.uri: one.reason for one in todo.refused}
    known = {uri: entries[uri].reason for uri in refused if uri in entries and entries[uri].outcome is Outcome.SKIPPED}
    stale = bool(todo.read or todo.gone or refused != known)
    if not stale and paths is None:
        store.ledger.note_check(project, collection.id)
    return stale


def _entries(engine: Engine, collection: Collection, paths: Sequence[str] | None) -> Mapping[str, LedgerEntry]:
    ledger, project = engine.store.ledger, engine.project.id
    return ledger.entries(project, collection.id) if paths is None else ledger.at(project, collection.id, paths)


def _stamps(engine: Engine, collection: Collection, paths: Sequence[str] | None) -> dict[str, FileStamp]:
    with engine.store.reading():
        return {uri: entry.stamp for uri, entry in _entries(engine, collection, paths).items()}


def _origin(engine: Engine, collection: Collection, *, inputs: bool = True) -> Origin:
    settings = collection.settings
    return Origin(
        project=engine.project.id,
        collection=collection.id,
        kind=settings.kind,
        tags=settings.tags,
        max_file_bytes=settings.max_file_bytes or engine._parts.max_file_bytes,
        inputs=inputs,
    )


def _index(
    engine: Engine,
    collection: Collection,
    scan: Scan,
    progress: Progress,
    *,
    reread: bool = False,
    prefix: str = "",
    paths: Sequence[str] | None = None,
    fast: EmbeddingProfile | None = None,
    inputs: bool = True,
) -> CollectionReport:
    settings, parts = collection.settings, engine._parts
    return index_collection(
        engine.store,
        collection,
        scan,
        engine.recipe(settings),
        partial(parts.workers, settings, fast),
        _origin(engine, collection, inputs=inputs),
        progress,
        reread=reread,
        prefix=prefix,
        paths=paths,
        fast=fast,
    )
