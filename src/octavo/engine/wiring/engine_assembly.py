"""An engine over an open store, with the adapters that its configuration names."""

from __future__ import annotations

import threading
from pathlib import Path

from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.open_project_library import OpenLibrary
from octavo.engine.wiring.adapter_factories import Adapters
from octavo.engine.wiring.embedder_construction import ConfiguredEmbedder
from octavo.model.library_location import Location
from octavo.sql_repositories.store import Store


def assemble(
    config: Config,
    store: Store,
    place: Location,
    configured: ConfiguredEmbedder,
    folders: tuple[Path, ...],
    loading: threading.Thread | None,
) -> Engine:
    """`folders` hold retrieval profiles; `loading` is the thread that loads the model."""
    try:
        library = OpenLibrary(
            store, config.project, Adapters(config, place, configured, folders), config, location=place
        )
    except BaseException:
        store.close()
        raise
    return Engine(library, loading=loading)
