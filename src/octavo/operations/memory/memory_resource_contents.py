"""Memories as resources: which of them are listed, and one of them whole, at a version, or by section."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.fast_dataclass import dataclass
from octavo.memory import canonical_documents, version_history
from octavo.model.memory import MemoryFilter, MemoryItem
from octavo.model.projects_and_collections import MEMORIES
from octavo.operations.memory.named_memory_lookup import item_named

_LATEST = 50
_MOST = 200


@dataclass(frozen=True, slots=True)
class ReadMemory:
    """`text` is exactly the characters from `start` to `end` of the version's text."""

    item: MemoryItem
    version: int
    text: str
    start: int
    end: int


def listed_memories(engine: Engine) -> tuple[MemoryItem, ...]:
    """Canonical documents by key, pinned memories, then the latest."""
    if not any(collection.name == MEMORIES for collection in engine.collections()):
        return ()  # nothing was ever remembered
    every = engine.store.memories.find(engine.project.id, MemoryFilter())
    marked = [item for item in every if item.canonical_key or item.pinned]
    marked.sort(key=lambda item: (item.canonical_key is None, item.canonical_key or "", -item.updated_at, item.id))
    rest = [item for item in every if not (item.canonical_key or item.pinned)]
    rest.sort(key=lambda item: (-item.updated_at, item.id))
    return tuple([*marked, *rest[:_LATEST]][:_MOST])


def read_memory(engine: Engine, name: str, *, version: int | None = None, anchor: str | None = None) -> ReadMemory:
    item = item_named(engine, name)
    shown = version_history.version(engine.memories, item.id, item.version if version is None else version)
    if anchor is None:
        return ReadMemory(item, shown.version.number, shown.text, 0, len(shown.text))
    document = canonical_documents.Canonical(
        item, shown, canonical_documents.sections(engine.memories, item, shown.text)
    )
    section = canonical_documents.section(document, anchor)
    return ReadMemory(item, shown.version.number, section.text, section.span.start, section.span.end)
