"""Memories as of an instant: searched as if nothing had been committed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from octavo.algorithms.ranking.reciprocal_rank_fusion import reciprocal_rank
from octavo.engine.engine import Engine
from octavo.fast_dataclass import replace
from octavo.memory.draft import MemoryDraft, prepared_of
from octavo.memory.memories_from_hits import Excerpt, Recalled, excerpts, falling, only
from octavo.memory.memory_indexing import index_document
from octavo.memory.version_history import version
from octavo.model.memory import MemoryCommit, MemoryFilter, MemoryId, MemoryItem, MemoryStatus
from octavo.model.query import Query
from octavo.operations.search.search_as_of import embed_if_answering
from octavo.retrieval.stage import RetrievalProfile

_MOST_EMBEDDED = 64  # old texts embedded for one question; more are searched by word only


def recalled_as_of(
    engine: Engine,
    memory_filter: MemoryFilter,
    profile: RetrievalProfile,
    question: str,
    limit: int,
    max_chars: int,
    at: float,
    floor: float,
) -> tuple[tuple[Recalled, ...], tuple[str, ...]]:
    """Memories unchanged since are searched in the library, those revised or archived since in a scratch library.

    The two rankings are fused by rank: their scores come from different libraries. Second is what a search had to do
    without.
    """
    then = _items_as_of(engine, memory_filter, at)
    if not question.strip():
        ordered = sorted(then.values(), key=lambda item: (not item.pinned, -item.updated_at, item.id))
        return tuple(_recalled(engine, item, at, max_chars) for item in ordered[:limit]), ()
    now = {item.id: item for item in engine.store.memories.find(engine.project.id, MemoryFilter(items=tuple(then)))}
    unchanged = [name for name, item in then.items() if name in now and now[name].version == item.version]
    changed = [then[name] for name in then if name not in unchanged]
    searched = [_ranked_memories(engine, unchanged, profile, question, limit, floor)]
    if changed:
        searched.append(_found_in_past_texts(engine, changed, profile, question, limit, floor))
    rankings = [ranking for ranking, _ in searched]
    degraded = tuple(dict.fromkeys(reason for _, parts in searched for reason in parts))
    best = {excerpt.item: excerpt for ranking in rankings for excerpt in ranking}
    names = sorted(best)
    numbers = {name: number for number, name in enumerate(names)}
    fused = reciprocal_rank(
        {str(channel): [numbers[excerpt.item] for excerpt in ranking] for channel, ranking in enumerate(rankings)}
    )
    memories = [_recalled(engine, then[names[number]], at, max_chars) for number in fused]
    scored = [replace(memory, score=best[memory.item.id].score) for memory in memories[:limit]]
    return falling(scored), degraded


def _items_as_of(engine: Engine, memory_filter: MemoryFilter, at: float) -> dict[MemoryId, MemoryItem]:
    """The items that were active then, with the version and the pin they had."""
    memories, project = engine.store.memories, engine.project.id
    # What may have changed since is not filtered here but compared with the state at the instant.
    unfiltered = replace(memory_filter, status=None, pinned_only=False, tags_all=(), tags_any=())
    moments: Mapping[MemoryId, MemoryCommit] = memories.moments(project, at)
    items = {}
    for item in memories.find(project, unfiltered):
        moment = moments.get(item.id)
        if moment is None or moment.status is not MemoryStatus.ACTIVE:
            continue
        if memory_filter.pinned_only and not moment.pinned:
            continue
        shown = version(engine.memories, item.id, moment.version).version
        if memory_filter.admits_tags(shown.tags):
            items[item.id] = replace(
                item,
                version=moment.version,
                pinned=moment.pinned,
                title=shown.title,
                tags=shown.tags,
                status=moment.status,
                updated_at=moment.at,
            )
    return items


def _ranked_memories(
    engine: Engine, names: Sequence[MemoryId], profile: RetrievalProfile, question: str, limit: int, floor: float
) -> tuple[list[Excerpt], tuple[str, ...]]:
    filters = only(names)
    if filters is None:
        return [], ()
    result = engine.search(Query(question, limit * 8, filters), profile)
    return excerpts(engine.memories, question, result, limit, floor), result.degraded


def _found_in_past_texts(
    engine: Engine, items: Sequence[MemoryItem], profile: RetrievalProfile, question: str, limit: int, floor: float
) -> tuple[list[Excerpt], tuple[str, ...]]:
    """Searches an in-memory library that contains nothing but the texts these items had."""
    with engine.in_memory() as scratch:
        memories = scratch.memories
        memories.ensure_collection()
        for item in items:
            past = version(engine.memories, item.id, item.version)
            draft = MemoryDraft(
                past.text, item.kind, item.scope, past.version.title, past.version.tags, allow_secrets=True
            )
            prepared = prepared_of(memories, item.id, draft, past.version.created_at)
            with scratch.store.transaction():
                index_document(memories, prepared)
        if len(items) <= _MOST_EMBEDDED:
            embed_if_answering(scratch, question)
        return _ranked_memories(scratch, [item.id for item in items], profile, question, limit, floor)


def _recalled(engine: Engine, item: MemoryItem, at: float, max_chars: int) -> Recalled:
    """With the version's text up to `max_chars`; whether it holds is asked of the instant, not of now."""
    shown = version(engine.memories, item.id, item.version)
    text = shown.text.removesuffix("\n")
    truncated = len(text) > max_chars
    return Recalled(item, shown.version, text[:max_chars], truncated, 0.0, shown.version.holds_at(at))
