"""Turns the hits of a search into memories: the best hit of each memory, and whether the memory still holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from octavo.fast_dataclass import dataclass, replace
from octavo.memory.project_memories import ProjectMemories
from octavo.model.document import Kind
from octavo.model.memory import SUPERSEDES, MemoryFilter, MemoryId, MemoryItem, MemoryVersion, memory_of, memory_uri
from octavo.model.projects_and_collections import MEMORIES
from octavo.model.query import Filters
from octavo.model.search_result import Candidate, Hit, Result, ScoreStep

# Names of the stages in a hit's score steps.
_DENSE, _LEXICAL = "dense", ("lexical", "typos")
_NEIGHBOURS = "context"  # raises what was said next to an answer in the same session


@dataclass(frozen=True, slots=True)
class Recalled:
    """A memory with the passage that answers the question. `holds` is whether what it says is true now.

    `superseded_by` is the memory that replaced it.
    """

    item: MemoryItem
    version: MemoryVersion
    excerpt: str
    truncated: bool
    score: float
    holds: bool
    superseded_by: MemoryId | None = None
    hits: tuple[Hit, ...] = ()
    """The passages of it that a search found, best first; none where all of it is shown."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The passage of a memory that is shown, and how well it answers the question."""

    item: MemoryId
    text: str
    truncated: bool
    score: float
    hits: tuple[Hit, ...] = ()


def narrowed(memories: ProjectMemories, memory_filter: MemoryFilter) -> Filters | None:
    """The filters of a search over the wanted memories; None when there are none."""
    every_memory = Filters(collections=(MEMORIES,), kinds=(Kind.MEMORY,))
    if memory_filter == MemoryFilter():
        return every_memory
    return only(memories.repository.named(memories.project, memory_filter))


def only(items: Iterable[MemoryId]) -> Filters | None:
    uris = tuple(memory_uri(item) for item in items)
    return Filters(collections=(MEMORIES,), kinds=(Kind.MEMORY,), uris=uris) if uris else None


def recalled(
    memories: ProjectMemories, question: str, result: Result, limit: int, floor: float
) -> tuple[Recalled, ...]:
    """The best hit of each memory in the order of the search; those that no longer hold come last."""
    shown = excerpts(memories, question, result, limit, floor)
    return falling(sorted(with_state(memories, shown), key=lambda memory: not memory.holds))


def falling(memories: Iterable[Recalled]) -> tuple[Recalled, ...]:
    """In their order, none with a higher score than the one before it: score and rank say the same."""
    highest, ordered = 1.0, []
    for memory in memories:
        highest = min(highest, memory.score)
        ordered.append(replace(memory, score=highest))
    return tuple(ordered)


def excerpts(memories: ProjectMemories, question: str, result: Result, limit: int, floor: float) -> list[Excerpt]:
    """The best hit of each memory, without hits that share no word with the question and are below `floor`."""
    hits = result.hits
    relevant = {hit.chunk_id for hit in hits if _is_relevant(hit.steps, floor)}
    hits_of = dict[str, list[Hit]]()
    for hit in hits if relevant else ():
        # What was said next to an answer belongs to it, whatever its own words are.
        if hit.chunk_id in relevant or _is_neighbour(hit.steps):
            hits_of.setdefault(hit.citation.uri, []).append(hit)
    shown = list(hits_of.items())[:limit]
    scores = _scores(memories, question, [best for _, (best, *_) in shown], calibrated=result.calibrated)
    return [
        Excerpt(memory_of(uri), best.excerpt, best.excerpt_truncated, score, (best, *others))
        for (uri, (best, *others)), score in zip(shown, scores, strict=True)
    ]


def answering(candidates: Sequence[Candidate], floor: float) -> tuple[MemoryId, ...]:
    """The memories that `excerpts` would show for such a search, best first, without reading their texts."""
    relevant = {candidate.key for candidate in candidates if _is_relevant(candidate.steps, floor)}
    uris = (candidate.uri for candidate in candidates if candidate.key in relevant or _is_neighbour(candidate.steps))
    return tuple(memory_of(uri) for uri in dict.fromkeys(uris)) if relevant else ()


def _is_relevant(steps: Sequence[ScoreStep], floor: float) -> bool:
    """A vector search always has a nearest neighbour: without a shared word it counts only from `floor` on."""
    cosine = _cosine(steps)
    return cosine is None or cosine >= floor or any(step.stage in _LEXICAL for step in steps)


def _is_neighbour(steps: Sequence[ScoreStep]) -> bool:
    return any(step.stage == _NEIGHBOURS for step in steps)


def _scores(memories: ProjectMemories, question: str, hits: Sequence[Hit], *, calibrated: bool) -> list[float]:
    """Between 0 and 1, all on one scale: the relevance that a search gives its hits.

    Without a calibration for the model in use, the cosines; where one hit has no vector, for every hit the share
    of the question's words in its excerpt.
    """
    if calibrated:
        return [hit.score for hit in hits]
    cosines = [cosine for hit in hits if (cosine := _cosine(hit.steps)) is not None]
    if len(cosines) == len(hits):
        return [min(1.0, max(0.0, cosine)) for cosine in cosines]
    words = frozenset(memories.analyse(question))
    return [len(words & frozenset(memories.analyse(hit.excerpt))) / max(1, len(words)) for hit in hits]


def _cosine(steps: Sequence[ScoreStep]) -> float | None:
    return next((step.score for step in steps if step.stage == _DENSE), None)


def latest(
    memories: ProjectMemories, memory_filter: MemoryFilter, limit: int, max_chars: int | None
) -> tuple[Recalled, ...]:
    """Without a question: pinned memories, then the most recently changed."""
    items = memories.repository.find(memories.project, memory_filter)
    ordered = sorted(items, key=lambda item: (not item.pinned, -item.updated_at, item.id))[:limit]
    shown = []
    for item in ordered:
        digest = memories.repository.versions(memories.project, item.id)[-1].text_hash
        stored = memories.store.documents.texts(memories.project, [digest]).get(digest)
        if stored is None:
            continue  # lost with the page it was on: the check names it
        text = stored.removesuffix("\n")
        truncated = max_chars is not None and len(text) > max_chars
        shown.append(Excerpt(item.id, text[:max_chars] if truncated else text, truncated, 0.0))
    return with_state(memories, shown)


def with_state(memories: ProjectMemories, excerpts: Sequence[Excerpt]) -> tuple[Recalled, ...]:
    """The excerpts with their items as they are now; a few queries for all of them."""
    if not excerpts:
        return ()
    repository, project, now = memories.repository, memories.project, memories.clock()
    ids = tuple(excerpt.item for excerpt in excerpts)
    items = {item.id: item for item in repository.find(project, MemoryFilter(items=ids))}
    replaced = {link.target: successor for link, successor in repository.linking(project, ids, [SUPERSEDES])}
    recalled = []
    for excerpt in excerpts:
        item = items.get(excerpt.item)
        if item is None:
            continue  # archived since the search found it
        version = repository.versions(project, item.id)[-1]
        successor = replaced.get(item.id)
        holds = successor is None and version.holds_at(now)
        shown = excerpt.text, excerpt.truncated, excerpt.score
        recalled.append(Recalled(item, version, *shown, holds, successor, excerpt.hits))
    return tuple(recalled)
