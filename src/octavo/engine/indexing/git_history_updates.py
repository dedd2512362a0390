"""Indexes new commits of the repositories under collections, after a folder run or when their refs move."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from octavo.engine.indexing.full_vector_upgrade import embed_newest
from octavo.engine.indexing.recorded_index_recipe import ensure_recipe
from octavo.ingest.collection_repository_watch import HistoryWatch
from octavo.ingest.git_commit_indexing import HistoryRun, index_history
from octavo.ingest.indexing_report import CollectionReport, IndexReport
from octavo.ingest.prepared_file import Origin
from octavo.model.folder_scan import Scan
from octavo.model.git_commit import Repository
from octavo.model.projects_and_collections import Collection
from octavo.observability.progress import Progress

if TYPE_CHECKING:
    from octavo.engine.open_project_library import OpenLibrary

_NEWEST = 256  # inputs embedded at once after a change


def index_histories(
    library: OpenLibrary,
    looked_at: Sequence[tuple[Collection, Scan, CollectionReport]],
    progress: Progress,
    *,
    reread: bool = False,
) -> None:
    """After the files of all collections: a search for a file does not wait for ten thousand commits."""
    for collection, scan, report in looked_at:
        _index(library, collection, scan, progress, report, reread=reread)


def index_moved(library: OpenLibrary, moved: Mapping[str, Sequence[Repository]], progress: Progress) -> IndexReport:
    """Takes in what is new in some repositories, by collection, without looking at any file."""
    started = time.perf_counter()
    ensure_recipe(library)
    known = {collection.name: collection for collection in library.collections()}
    reports = []
    for name, repositories in moved.items():
        if name in known:
            reports.append(CollectionReport(name))
            _index(library, known[name], None, progress, reports[-1], only=repositories)
    written = min(_NEWEST, 2 * sum(report.chunks for report in reports))
    embedded = embed_newest(library, written, progress)
    return IndexReport(tuple(reports), (), embedded, time.perf_counter() - started)


def follow_histories(library: OpenLibrary, watch: HistoryWatch) -> None:
    """Has the repositories watched that the library knows of; new ones are found by a run over their folder."""
    known, outside = {}, set()
    for collection in library.collections():
        rules = library.history_rules(collection.settings)
        if rules.outside:
            outside.add(collection.name)
        if collection.on_disk and rules.wanted:
            rows = library.store.ledger.repositories(library.project.id, collection.id)
            known[collection.name] = (collection.root, [uri.rpartition("/")[0] for uri in rows])
    watch.follow(known, outside=outside)


def _index(
    library: OpenLibrary,
    collection: Collection,
    scan: Scan | None,
    progress: Progress,
    report: CollectionReport,
    *,
    reread: bool = False,
    only: Sequence[Repository] | None = None,
) -> None:
    settings = collection.settings
    origin = Origin(
        library.project.id,
        collection.id,
        None,
        settings.tags,
        library.config.ingest.max_file_bytes,
        allow_secrets=settings.allow_secrets,
    )
    run = HistoryRun(
        store=library.store,
        collection=collection,
        recipe=library.cut_by(settings),
        preparer=cache(lambda: library.adapters.preparing.preparer(settings)),
        origin=origin,
        rules=library.history_rules(settings),
        reread=reread,
    )
    index_history(run, scan, progress, report, only=only)
