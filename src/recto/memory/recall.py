"""Which memories a search is about, and its hits as memories: one for each item, what no longer holds last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recto.memory.desk import Desk
from recto.model.document import Kind
from recto.model.memory import MEMORIES, MemoryFilter, MemoryItem, MemoryStatus, MemoryVersion, memory_of, memory_uri
from recto.model.query import Filters
from recto.model.result import Hit


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory with the part of it that fits the question. `holds` is whether what it tells is true now."""

    item: MemoryItem
    version: MemoryVersion
    excerpt: str
    truncated: bool
    score: float
    holds: bool


def narrowed(desk: Desk, wanted: MemoryFilter) -> Filters | None:
    """What a search has to keep to; None when no memory fits."""
    everything = Filters(collections=(MEMORIES,), kinds=(Kind.MEMORY,))
    if wanted == MemoryFilter():
        return everything
    uris = tuple(memory_uri(item.id) for item in desk.store.memories.find(desk.project, wanted))
    return everything.narrowed_by(Filters(uris=uris)) if uris else None


def recalled(desk: Desk, hits: Sequence[Hit], limit: int) -> tuple[Recalled, ...]:
    """The best hit of each item, in order; after them those that are not true yet, or no longer."""
    best: dict[str, Hit] = {}
    for hit in hits:
        best.setdefault(hit.citation.uri, hit)
    found = []
    for uri, hit in best.items():
        item = desk.store.memories.get(desk.project, memory_of(uri))
        if item is not None and item.status is MemoryStatus.ACTIVE:
            found.append(_recalled(desk, item, hit.excerpt, hit.excerpt_truncated, hit.score))
    return tuple(sorted(found, key=lambda one: not one.holds)[:limit])


def latest(desk: Desk, wanted: MemoryFilter, limit: int, max_chars: int | None) -> tuple[Recalled, ...]:
    """Without a question: pinned memories, then the ones changed last."""
    items = desk.store.memories.find(desk.project, wanted)
    ordered = sorted(items, key=lambda item: (not item.pinned, -item.updated_at, item.id))[:limit]
    found = []
    for item in ordered:
        text = _text(desk, item).removesuffix("\n")
        cut = max_chars is not None and len(text) > max_chars
        found.append(_recalled(desk, item, text[:max_chars] if cut else text, cut, 0.0))
    return tuple(found)


def _recalled(desk: Desk, item: MemoryItem, excerpt: str, truncated: bool, score: float) -> Recalled:
    version, now = desk.store.memories.versions(desk.project, item.id)[-1], desk.clock()
    holds = version.valid_from <= now and (version.valid_to is None or now < version.valid_to)
    return Recalled(item, version, excerpt, truncated, score, holds)


def _text(desk: Desk, item: MemoryItem) -> str:
    digest = desk.store.memories.versions(desk.project, item.id)[-1].text_hash
    return desk.store.documents.texts(desk.project, [digest])[digest]
