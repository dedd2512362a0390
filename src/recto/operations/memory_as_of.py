"""Memories as they stood at an instant: searched as if nothing had been committed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recto.algorithms.fusion import reciprocal_rank
from recto.engine.aside import aside
from recto.engine.engine import Engine
from recto.memory.commit import index_document
from recto.memory.draft import Draft, prepared_of
from recto.memory.history import version
from recto.memory.recall import Excerpt, Recalled, excerpts, only
from recto.model.memory import MemoryCommit, MemoryFilter, MemoryId, MemoryItem, MemoryStatus
from recto.model.query import Query
from recto.retrieval.stage import Profile

_MEANING = 64  # texts since replaced that are embedded for one question; more are looked through by word alone


def recalled_as_of(
    engine: Engine,
    wanted: MemoryFilter,
    profile: Profile,
    question: str,
    limit: int,
    max_chars: int,
    at: float,
    floor: float,
) -> tuple[Recalled, ...]:
    """What is unchanged since is searched in the library; what was replaced or put away, in one made for the moment.

    The two answers are merged by rank: their scores come from different libraries.
    """
    then = _stood(engine, wanted, at)
    if not question.strip():
        ordered = sorted(then.values(), key=lambda item: (not item.pinned, -item.updated_at, item.id))
        return tuple(_told(engine, item, at, max_chars) for item in ordered[:limit])
    now = {item.id: item for item in engine.store.memories.find(engine.project.id, MemoryFilter(items=tuple(then)))}
    same = [name for name, item in then.items() if name in now and now[name].version == item.version]
    changed = [then[name] for name in then if name not in same]
    rankings = [_found(engine, same, profile, question, limit, floor)]
    if changed:
        rankings.append(_found_aside(engine, changed, profile, question, limit, floor))
    best = {one.item: one for ranking in rankings for one in ranking}
    numbers = {name: number for number, name in enumerate(sorted(best))}
    ordered_names = reciprocal_rank(
        {str(number): [numbers[one.item] for one in ranking] for number, ranking in enumerate(rankings)}
    )
    names = sorted(best)
    told = [_told(engine, then[names[number]], at, max_chars) for number in ordered_names]
    return tuple(replace(one, score=best[one.item.id].score) for one in told[:limit])


def _stood(engine: Engine, wanted: MemoryFilter, at: float) -> dict[MemoryId, MemoryItem]:
    """Items as they were: those that were active then, at the version and with the pin they had."""
    memories, project = engine.store.memories, engine.project.id
    # What may have changed since is left out of the question and asked of the past instead.
    anyway = replace(wanted, status=None, pinned_only=False, tags_all=(), tags_any=())
    moments: Mapping[MemoryId, MemoryCommit] = memories.moments(project, at)
    found = {}
    for item in memories.find(project, anyway):
        moment = moments.get(item.id)
        if moment is None or moment.status is not MemoryStatus.ACTIVE or (wanted.pinned_only and not moment.pinned):
            continue
        held = version(engine.desk, item.id, moment.version).version
        if wanted.admits_tags(held.tags):
            found[item.id] = replace(
                item,
                version=moment.version,
                pinned=moment.pinned,
                title=held.title,
                tags=held.tags,
                status=moment.status,
                updated_at=moment.at,
            )
    return found


def _found(
    engine: Engine, names: Sequence[MemoryId], profile: Profile, question: str, limit: int, floor: float
) -> list[Excerpt]:
    filters = only(names)
    if filters is None:
        return []
    hits = engine.search(Query(question, limit * 8, filters), profile).hits
    return excerpts(engine.desk, question, hits, limit, floor)


def _found_aside(
    engine: Engine, items: Sequence[MemoryItem], profile: Profile, question: str, limit: int, floor: float
) -> list[Excerpt]:
    """In a library in memory that holds nothing but the texts these items had."""
    from recto.ingest.embed import embed_pending
    from recto.observability.progress import NoProgress

    beside = aside(engine)
    desk = beside.desk
    desk.settle()
    for item in items:
        held = version(engine.desk, item.id, item.version)
        draft = Draft(held.text, item.kind, item.scope, held.version.title, held.version.tags)
        prepared = prepared_of(desk, item.id, draft, held.version.created_at)
        with beside.store.transaction():
            index_document(desk, prepared)
    if len(items) <= _MEANING:
        embed_pending(beside.store, beside.project.id, beside.embedder, NoProgress())
    return _found(beside, [item.id for item in items], profile, question, limit, floor)


def _told(engine: Engine, item: MemoryItem, at: float, max_chars: int) -> Recalled:
    """With the whole text of the version, cut; what holds is asked of the instant, not of now."""
    held = version(engine.desk, item.id, item.version)
    text = held.text.removesuffix("\n")
    cut = len(text) > max_chars
    told = held.version
    holds = told.valid_from <= at and (told.valid_to is None or at < told.valid_to)
    return Recalled(item, told, text[:max_chars] if cut else text, cut, 0.0, holds)
