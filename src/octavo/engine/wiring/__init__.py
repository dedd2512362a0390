"""The one place that names adapters: a configuration becomes an engine.

Adapters are imported by what first needs them: a search does not pay for parsers, nor a word for numpy.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo.config.layered_config_loading import library_location, load, profile_folders
from octavo.config.schema import Config, Log
from octavo.engine.search.query_embedding_ahead import load_model_ahead
from octavo.engine.wiring.embedder_construction import ConfiguredEmbedder, Embedders
from octavo.engine.wiring.store_opening import open_store
from octavo.errors import NotIndexed
from octavo.fast_dataclass import replace
from octavo.ingest.embedding_profile_switch import active_profile
from octavo.model.ids import project_id
from octavo.model.library_location import location

if TYPE_CHECKING:
    from octavo.engine.engine import Engine
    from octavo.engine.library_federation import LibraryGroup
    from octavo.model.library_location import Location
    from octavo.sql_repositories.store import Store


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
    existing: bool = False,
) -> Engine:
    """Opens the library the configuration names; `create` makes it when it is not there.

    `embedders` makes the embedder: several engines of one process may share one. `profiles` are the folders of
    retrieval profiles, where they are not those of this process's environment. `soon` is what will be searched for by
    meaning at once: the model is loaded for it before everything else is there. With `existing`, a project that is not
    there is not made.
    """
    place = library_location(config)
    configured = embedders(config.embedding)
    store = open_store(place, config, create=create)
    if existing and config.project not in (names := [project.name for project in store.catalog.projects()]):
        store.close()
        hint = f"it has: {', '.join(names)}" if names else None
        raise NotIndexed(f"{place} has no project {config.project}", hint=hint)
    loading = None if soon is None else _load_model(config, store, configured, soon)
    # Imported only now: the model loads in its thread while all of this is imported.
    from octavo.engine.wiring.engine_assembly import assemble

    folders = profile_folders() if profiles is None else profiles
    engine = assemble(config, store, place, configured, folders, loading)
    if config.also_search:
        engine.others = open_together(config, lambda _: configured, folders, own=True)
    return engine


def open_together(
    config: Config,
    embedders: Embedders = ConfiguredEmbedder,
    profiles: tuple[Path, ...] | None = None,
    *,
    own: bool = False,
) -> LibraryGroup:
    """The configuration's library and those of `also_search`, with one model, each opened when it is first asked.

    With `own`, the first is open already. Nothing is written to the others: no project is made, no query is logged.
    """
    from octavo.engine.library_federation import LibraryGroup, LibraryMember, library_names

    place, configured = library_location(config), embedders(config.embedding)
    elsewhere = replace(config, log=Log(), retrieval=replace(config.retrieval, count_hits=False))

    making = threading.Lock()

    def opening(other: Location) -> Engine:
        with making, suppress(Exception):  # one model for all; what is wrong with it is met again by the search
            configured.embedder  # noqa: B018
        chosen = config if other == place else elsewhere
        alone = replace(chosen, library=other, also_search=())
        return open_engine(alone, embedders=lambda _: configured, profiles=profiles, existing=True)

    places = (place, *config.also_search)
    members = [
        LibraryMember(name, at, partial(opening, at)) for name, at in zip(library_names(places), places, strict=True)
    ]
    seconds = config.retrieval.library_seconds
    return LibraryGroup(members[1:], seconds, members[0].name) if own else LibraryGroup(members, seconds)


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
