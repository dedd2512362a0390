"""The one place that names adapters: a configuration becomes an engine.

Adapters are imported by what first needs them: a search does not pay for parsers, nor a word for numpy.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo.config.load import library_location, load, profile_folders
from octavo.config.schema import Config
from octavo.engine.query_threads import load_model_ahead
from octavo.engine.wiring.embedders import ConfiguredEmbedder, Embedders
from octavo.engine.wiring.stores import open_store
from octavo.ingest.profile_switch import active_profile
from octavo.model.ids import project_id
from octavo.model.library_location import location

if TYPE_CHECKING:
    from octavo.engine.engine import Engine
    from octavo.ports import Store


def open_library(
    path: str | os.PathLike[str] | None = None, *, create: bool = False, settings: Mapping[str, Any] | None = None
) -> Engine:
    """Opens a library as `octavo --library PATH` would here: the same configuration files, the same environment.

    `settings` go before all of these, by their dotted names: `{"embedding.provider": "hashing"}`.
    """
    flags = {**(settings or {})} | ({} if path is None else {"library": location(os.fspath(path))})
    return open_engine(load(flags).config, create=create)


def open_engine(
    config: Config,
    *,
    create: bool = False,
    embedders: Embedders = ConfiguredEmbedder,
    profiles: tuple[Path, ...] | None = None,
    soon: str | None = None,
) -> Engine:
    """Opens the library the configuration names; `create` makes it when it is not there.

    `embedders` makes the embedder: several engines of one process may share one. `profiles` are the folders of
    retrieval profiles, where they are not those of this process's environment. `soon` is what will be searched for by
    meaning at once: the model is loaded for it before everything else is there.
    """
    place = library_location(config)
    configured = embedders(config.embedding)
    store = open_store(place, config, create=create)
    loading = None if soon is None else _load_model(config, store, configured, soon)
    # Imported only now: the model loads in its thread while all of this is imported.
    from octavo.engine.wiring.engine_assembly import assemble

    folders = profile_folders() if profiles is None else profiles
    return assemble(config, store, place, configured, folders, loading)


def _load_model(config: Config, store: Store, configured: ConfiguredEmbedder, text: str) -> threading.Thread | None:
    """Begins to load the configuration's embedder, if that is the one that answers. What fails is met again later."""
    with suppress(Exception):
        if active_profile(store, project_id(config.project)) is not None:
            return None
        if config.embedding.provider in ("bundled", "onnx"):
            from octavo.embedding.onnxruntime_loading import onnx_runtime

            # Importing holds up every other thread. With this done first, the model loads while all the rest follows.
            onnx_runtime()
        # The models of a configuration are on this machine, and an interpreter that ends while one loads may abort.
        return load_model_ahead(lambda: configured.embedder, text, awaited=True)
    return None
