"""Engines over stores of a test's own, wired as a configuration says."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from octavo.config.schema import Config, Embedding
from octavo.engine.engine import Engine
from octavo.engine.open_project_library import OpenLibrary
from octavo.engine.wiring import open_engine
from octavo.sql_repositories.store import Store


def wired(folder: Path) -> OpenLibrary:
    """A library that is closed again: its adapters and configuration are what other engines of a test are made with."""
    with open_engine(Config(library=folder / "l.db", embedding=Embedding(provider="hashing")), create=True) as engine:
        return engine.library


def engine_over(
    store: Store, like: OpenLibrary, clock: Callable[[], float], project: str = "sample", **adapters: Any
) -> Engine:
    chosen = substituted(replace(like.adapters, clock=clock, place=None), **adapters)
    return Engine(OpenLibrary(store, project, chosen, like.config))


def substituted(adapters: Any, **instead: Any) -> Any:
    """Adapters of which a few methods do something else."""
    chosen = copy(adapters)
    vars(chosen).update(instead)
    return chosen
