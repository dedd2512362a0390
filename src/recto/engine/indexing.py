"""The writing flow over an engine's parts: whole folders, or just the paths that changed.

Called under the engine's `builds`, which keep one run at a time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from recto.engine.histories import index_histories
from recto.errors import NotIndexed, SourceError
from recto.ingest.embed import embed_pending
from recto.ingest.pipeline import CollectionReport, Problem, index_collection
from recto.ingest.prepare import Origin
from recto.model.collection import Collection
from recto.observability.progress import Progress

if TYPE_CHECKING:
    from recto.engine.engine import Engine, IndexReport
    from recto.sources.files import Scan

_NEWEST = 256  # inputs embedded at once after a change: what was just written comes before what still waits


def index_folders(
    engine: Engine, names: Sequence[str], progress: Progress, *, embed: bool, reread: bool, prefix: str
) -> IndexReport:
    """Compares the named collections (all when none is named) with the disk, takes in what moved, fills in vectors."""
    from recto.engine.engine import IndexReport

    started = time.perf_counter()
    chosen = [engine.collection(name) for name in names] or list(engine.collections())
    chosen = [one for one in chosen if one.on_disk]
    if not chosen:
        raise NotIndexed("the library has no collections", hint="run `recto add FOLDER --name NAME`")
    engine._settle_recipe()
    reports, missing, looked_at = [], [], []
    store, project = engine.store, engine.project.id
    for collection in chosen:
        try:
            with store.reading():
                ledger = store.ledger.entries(project, collection.id)
            scan = engine._parts.scan(collection, {uri: entry.stamp for uri, entry in ledger.items()}, None)
        except SourceError as error:
            # An unmounted root is no evidence that its files are gone.
            missing.append(Problem(collection.name, error.message))
            continue
        reports.append(_index(engine, collection, scan, progress, reread=reread, prefix=prefix))
        looked_at.append((collection, scan, reports[-1]))
        if not prefix:
            store.ledger.note_check(project, collection.id)
    if not prefix:
        index_histories(engine, looked_at, progress, reread=reread)
    embedded = embed_pending(store, project, engine.embedder, progress) if embed else 0
    return IndexReport(tuple(reports), tuple(missing), embedded, time.perf_counter() - started)


def index_changes(engine: Engine, changes: Mapping[str, Sequence[str]], progress: Progress) -> IndexReport:
    """Takes in what happened at and below some paths of some collections, by name, without looking anywhere else."""
    from recto.engine.engine import IndexReport

    started = time.perf_counter()
    engine._settle_recipe()
    known = {collection.name: collection for collection in engine.collections()}
    reports, missing = [], []
    store, project = engine.store, engine.project.id
    for name, paths in changes.items():
        collection = known.get(name)
        if collection is None or not paths:
            continue  # taken out of the library since
        try:
            with store.reading():
                ledger = store.ledger.at(project, collection.id, paths)
            stamps = {uri: entry.stamp for uri, entry in ledger.items()}
            scan = engine._parts.scan(collection, stamps, paths)
        except SourceError as error:
            missing.append(Problem(name, error.message))
            continue
        reports.append(_index(engine, collection, scan, progress, paths=paths))
    written = any(report.chunks for report in reports)
    newest = max(_NEWEST, sum(report.chunks for report in reports))
    embedded = embed_pending(store, project, engine.embedder, progress, newest=newest) if written else 0
    return IndexReport(tuple(reports), tuple(missing), embedded, time.perf_counter() - started)


def _index(
    engine: Engine,
    collection: Collection,
    scan: Scan,
    progress: Progress,
    *,
    reread: bool = False,
    prefix: str = "",
    paths: Sequence[str] | None = None,
) -> CollectionReport:
    settings, parts = collection.settings, engine._parts
    origin = Origin(
        project=engine.project.id,
        collection=collection.id,
        kind=settings.kind,
        tags=settings.tags,
        max_file_bytes=settings.max_file_bytes or parts.max_file_bytes,
    )
    return index_collection(
        engine.store,
        collection,
        scan,
        engine._recipe_of(settings),
        partial(parts.workers, settings),
        origin,
        progress,
        reread=reread,
        prefix=prefix,
        paths=paths,
    )
