"""Engines over stores of a test's own, wired as a configuration says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from octavo.config.schema import Config, Embedding
from octavo.engine.engine import Engine
from octavo.engine.library import OpenLibrary
from octavo.engine.wiring import open_engine
from octavo.ports import Store


def wired(folder: Path) -> OpenLibrary:
    """A library that is closed again: its adapters and rules are what other engines of a test are made with."""
    with open_engine(Config(library=folder / "l.db", embedding=Embedding(provider="hashing")), create=True) as engine:
        return engine.library


def engine_over(
    store: Store, like: OpenLibrary, clock: Callable[[], float], project: str = "sample", **adapters: Any
) -> Engine:
    chosen = replace(like.adapters, clock=clock, **{"accelerator": None} | adapters)
    return Engine(OpenLibrary(store, project, chosen, like.rules))
