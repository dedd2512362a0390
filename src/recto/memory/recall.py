"""Which memories a search is about, and its hits as memories: one for each item, with what is to be said of it now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recto.memory.desk import Desk
from recto.model.collection import MEMORIES
from recto.model.document import Kind
from recto.model.memory import (
    SUPERSEDES,
    MemoryFilter,
    MemoryId,
    MemoryItem,
    MemoryVersion,
    memory_of,
    memory_uri,
)
from recto.model.query import Filters
from recto.model.result import Candidate, Hit, ScoreStep

_MEANING, _WORDS = "dense", ("lexical", "typos")  # the channels a hit may have been found by
_CONTEXT = "context"  # the stage that raises it for its neighbours


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory with the part of it that fits the question. `holds` is whether what it tells is true now.

    `superseded_by` is the memory that took its place.
    """

    item: MemoryItem
    version: MemoryVersion
    excerpt: str
    truncated: bool
    score: float
    holds: bool
    superseded_by: MemoryId | None = None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of a memory, and how well it fits."""

    item: MemoryId
    text: str
    truncated: bool
    score: float


def narrowed(desk: Desk, wanted: MemoryFilter) -> Filters | None:
    """What a search has to keep to; None when no memory fits."""
    everything = Filters(collections=(MEMORIES,), kinds=(Kind.MEMORY,))
    if wanted == MemoryFilter():
        return everything
    return only(desk.store.memories.named(desk.project, wanted))


def only(items: Iterable[MemoryId]) -> Filters | None:
    uris = tuple(memory_uri(item) for item in items)
    return Filters(collections=(MEMORIES,), kinds=(Kind.MEMORY,), uris=uris) if uris else None


def recalled(desk: Desk, question: str, hits: Sequence[Hit], limit: int, floor: float) -> tuple[Recalled, ...]:
    """The best hit of each item, in the order of the search; of those shown, what does not hold now comes last."""
    found = excerpts(desk, question, hits, limit, floor)
    return tuple(sorted(shown(desk, found), key=lambda one: not one.holds))


def excerpts(desk: Desk, question: str, hits: Sequence[Hit], limit: int, floor: float) -> list[Excerpt]:
    """The best hit of each item, without those that hold none of the words and whose meaning is below the floor."""
    answering = {hit.chunk_id for hit in hits if _answers(hit.steps, floor)}
    words, best = frozenset(desk.analyse(question)), dict[str, Hit]()
    for hit in hits if answering else ():
        # What was said beside an answer belongs to it, whatever its own words are.
        if hit.chunk_id in answering or _beside(hit.steps):
            best.setdefault(hit.citation.uri, hit)
    return [
        Excerpt(memory_of(uri), hit.excerpt, hit.excerpt_truncated, _fit(desk, words, hit))
        for uri, hit in list(best.items())[:limit]
    ]


def answering(candidates: Sequence[Candidate], floor: float) -> tuple[MemoryId, ...]:
    """The items such a search finds, best first, without a look at their texts."""
    fitting = {one.key for one in candidates if _answers(one.steps, floor)}
    found = (one.uri for one in candidates if one.key in fitting or _beside(one.steps))
    return tuple(memory_of(uri) for uri in dict.fromkeys(found)) if fitting else ()


def _answers(steps: Sequence[ScoreStep], floor: float) -> bool:
    """A search by meaning has a nearest one whatever is asked: nearest is no answer where not even a word fits."""
    cosine = _cosine(steps)
    return cosine is None or cosine >= floor or any(step.stage in _WORDS for step in steps)


def _beside(steps: Sequence[ScoreStep]) -> bool:
    return any(step.stage == _CONTEXT for step in steps)


def _fit(desk: Desk, words: frozenset[str], hit: Hit) -> float:
    """Between 0 and 1. The search's own score is relative to the other candidates: alone, the best of them has none."""
    cosine = _cosine(hit.steps)
    if cosine is not None:
        return min(1.0, max(0.0, cosine))
    return len(words & frozenset(desk.analyse(hit.excerpt))) / len(words) if words else 0.0


def _cosine(steps: Sequence[ScoreStep]) -> float | None:
    return next((step.score for step in steps if step.stage == _MEANING), None)


def latest(desk: Desk, wanted: MemoryFilter, limit: int, max_chars: int | None) -> tuple[Recalled, ...]:
    """Without a question: pinned memories, then the ones changed last."""
    items = desk.store.memories.find(desk.project, wanted)
    ordered = sorted(items, key=lambda item: (not item.pinned, -item.updated_at, item.id))[:limit]
    found = []
    for item in ordered:
        digest = desk.store.memories.versions(desk.project, item.id)[-1].text_hash
        text = desk.store.documents.texts(desk.project, [digest])[digest].removesuffix("\n")
        cut = max_chars is not None and len(text) > max_chars
        found.append(Excerpt(item.id, text[:max_chars] if cut else text, cut, 0.0))
    return shown(desk, found)


def shown(desk: Desk, found: Sequence[Excerpt]) -> tuple[Recalled, ...]:
    """The excerpts with their items as they stand: a few questions for all of them."""
    if not found:
        return ()
    memories, project, now = desk.store.memories, desk.project, desk.clock()
    names = tuple(one.item for one in found)
    items = {item.id: item for item in memories.find(project, MemoryFilter(items=names))}
    replaced = {link.target: by for link, by in memories.linking(project, names, [SUPERSEDES])}
    told = []
    for one in found:
        item = items.get(one.item)
        if item is None:
            continue  # it was put away while it was looked for
        version = memories.versions(project, item.id)[-1]
        by = replaced.get(item.id)
        holds = by is None and version.valid_from <= now and (version.valid_to is None or now < version.valid_to)
        told.append(Recalled(item, version, one.text, one.truncated, one.score, holds, by))
    return tuple(told)
