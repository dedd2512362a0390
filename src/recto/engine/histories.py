"""The histories of the repositories under collections that have just been compared with their folders."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from recto.ingest.history import index_history
from recto.ingest.prepare import Origin
from recto.model.collection import Collection
from recto.observability.progress import Progress

if TYPE_CHECKING:
    from recto.engine.engine import Engine
    from recto.ingest.pipeline import CollectionReport
    from recto.sources.files import Scan


def index_histories(
    engine: Engine,
    looked_at: Sequence[tuple[Collection, Scan, CollectionReport]],
    progress: Progress,
    *,
    reread: bool = False,
) -> None:
    """After the files of all collections: a search for a file does not wait for ten thousand commits."""
    parts = engine._parts
    for collection, scan, report in looked_at:
        settings = collection.settings
        origin = Origin(engine.project.id, collection.id, None, settings.tags, parts.max_file_bytes)
        index_history(
            engine.store,
            collection,
            scan,
            engine._recipe_of(settings),
            cache(partial(parts.preparer, settings)),
            origin,
            parts.history(settings),
            progress,
            report,
            reread=reread,
        )
