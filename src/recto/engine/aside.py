"""A library for the moment: in memory, written and searched like the one it stands beside."""

from __future__ import annotations

from dataclasses import replace

from recto.engine.engine import Engine
from recto.testing.memory_store import MemoryStore


def aside(engine: Engine) -> Engine:
    """Empty, with the same project, recipe and model; it is gone with the engine that is returned."""
    parts = replace(engine._parts, store=MemoryStore(clock=engine._parts.clock), accelerator=None)
    made = Engine(parts, engine.project.name)
    made.__dict__["embedder"] = engine.embedder
    return made
