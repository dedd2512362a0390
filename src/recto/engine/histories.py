"""The histories of the repositories under collections: after a run over their folders, and when their refs moved."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from recto.engine.parts import IndexReport
from recto.engine.recipes import settle_recipe
from recto.engine.upgrading import embed_newest
from recto.ingest.history import index_history
from recto.ingest.history_watch import HistoryWatch
from recto.ingest.prepare import Origin
from recto.ingest.report import CollectionReport
from recto.model.collection import Collection
from recto.model.commit import Repository, is_repository
from recto.observability.progress import Progress

if TYPE_CHECKING:
    from recto.engine.engine import Engine
    from recto.sources.files import Scan

_NEWEST = 256  # inputs embedded at once after a change


def index_histories(
    engine: Engine,
    looked_at: Sequence[tuple[Collection, Scan, CollectionReport]],
    progress: Progress,
    *,
    reread: bool = False,
) -> None:
    """After the files of all collections: a search for a file does not wait for ten thousand commits."""
    for collection, scan, report in looked_at:
        _index(engine, collection, scan, progress, report, reread=reread)


def index_moved(engine: Engine, moved: Mapping[str, Sequence[Repository]], progress: Progress) -> IndexReport:
    """Takes in what is new in some repositories, by collection, without looking at any file."""
    started = time.perf_counter()
    settle_recipe(engine)
    known = {collection.name: collection for collection in engine.collections()}
    reports = []
    for name, repositories in moved.items():
        if name in known:
            reports.append(CollectionReport(name))
            _index(engine, known[name], None, progress, reports[-1], only=repositories)
    written = min(_NEWEST, 2 * sum(report.chunks for report in reports))
    embedded = embed_newest(engine, written, progress)
    return IndexReport(tuple(reports), (), embedded, time.perf_counter() - started)


def follow_histories(engine: Engine, watch: HistoryWatch) -> None:
    """Has the repositories watched that the library knows of; new ones are found by a run over their folder."""
    known = {}
    for collection in engine.collections():
        if collection.on_disk and engine._parts.history(collection.settings).wanted:
            rows = engine.store.ledger.entries(engine.project.id, collection.id)
            known[collection.name] = (collection.root, [_folder(uri) for uri in rows if is_repository(uri)])
    watch.follow(known)


def _folder(uri: str) -> str:
    return uri.rpartition("/")[0]


def _index(
    engine: Engine,
    collection: Collection,
    scan: Scan | None,
    progress: Progress,
    report: CollectionReport,
    *,
    reread: bool = False,
    only: Sequence[Repository] | None = None,
) -> None:
    parts, settings = engine._parts, collection.settings
    origin = Origin(engine.project.id, collection.id, None, settings.tags, parts.max_file_bytes)
    index_history(
        engine.store,
        collection,
        scan,
        engine.recipe(settings),
        cache(partial(parts.preparer, settings)),
        origin,
        parts.history(settings),
        progress,
        report,
        reread=reread,
        only=only,
    )
