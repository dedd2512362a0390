"""Find what was remembered."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.dataclass import replace
from octavo.engine.engine import Engine
from octavo.memory.recall import Recalled, latest, narrowed, recalled
from octavo.model.collection import MEMORIES
from octavo.model.document import Kind
from octavo.model.memory import MemoryFilter, MemoryKind, memory_of
from octavo.model.query import Filters, Query
from octavo.operations.memory.as_of import recalled_as_of
from octavo.operations.memory.request_resolution import in_project, instant, item_named
from octavo.operations.memory.requests import RecallRequest
from octavo.operations.memory.results import RecallAnswer, found_memory
from octavo.operations.request_filters import conditions
from octavo.retrieval.profiles import profile_named
from octavo.retrieval.stage import RetrievalProfile

OVERSAMPLING, FILTERED_OVERSAMPLING = 4, 8  # hits per memory asked for: several may be of the same memory


def recall(engine: Engine, request: RecallRequest) -> RecallAnswer:
    profile = profile_named(request.profile)
    engine = in_project(engine, request.project)
    admitted = _meeting(engine, memory_filter(engine, request), request.where)
    if admitted is None:
        return _answer(request, (), engine.freshness().pending)
    at = instant(engine, request.as_of)
    if at is not None:
        memories, degraded = recalled_as_of(
            engine, admitted, profile, request.query, request.limit, request.max_chars, at, request.min_similarity
        )
        return _answer(request, memories, engine.freshness().pending, degraded)
    if not request.query.strip():
        memories = latest(engine.memories, admitted, request.limit, request.max_chars)
        return _answer(request, memories, engine.freshness().pending)
    filters = narrowed(engine.memories, admitted)
    if filters is None:
        return _answer(request, (), engine.freshness().pending)
    return _searched(engine, request, profile, filters, filtered=admitted != MemoryFilter())


memory_search = recall


def memory_filter(engine: Engine, request: RecallRequest) -> MemoryFilter:
    return MemoryFilter(
        kinds=tuple(map(MemoryKind, request.kinds)),
        scopes=request.scopes,
        tags_all=tuple(tag.lstrip("#") for tag in request.tags_all),
        tags_any=tuple(tag.lstrip("#") for tag in request.tags_any),
        pinned_only=request.pinned_only,
        canonical_only=request.canonical_only,
        doc_classes=request.doc_classes,
        created_after=instant(engine, request.created_after),
        created_before=instant(engine, request.created_before),
        items=tuple(item_named(engine, name).id for name in request.item_ids),
        not_items=tuple(item_named(engine, name).id for name in request.exclude_item_ids),
    )


def _meeting(engine: Engine, memories: MemoryFilter, where: tuple[str, ...]) -> MemoryFilter | None:
    """Narrowed to the memories whose properties, as their texts have them now, meet the conditions; None if none do."""
    if not where:
        return memories
    every = Filters(collections=(MEMORIES,), kinds=(Kind.MEMORY,), where=conditions(where))
    met = (memory_of(document.uri) for document in engine.store.documents.listed(engine.project.id, every))
    items = tuple(item for item in met if not memories.items or item in memories.items)
    return replace(memories, items=items) if items else None


def _searched(
    engine: Engine, request: RecallRequest, profile: RetrievalProfile, filters: Filters, *, filtered: bool
) -> RecallAnswer:
    oversampling = FILTERED_OVERSAMPLING if filtered else OVERSAMPLING
    query = Query(request.query, request.limit * oversampling, filters, max_excerpt_chars=request.max_chars)
    result = engine.search(query, profile)
    memories = recalled(engine.memories, request.query, result, request.limit, request.min_similarity)
    return _answer(request, memories, result.freshness.pending, result.degraded)


def _answer(
    request: RecallRequest, recalled_items: Sequence[Recalled], pending: int, degraded: tuple[str, ...] = ()
) -> RecallAnswer:
    chunks = request.include_chunks
    memories = tuple(found_memory(rank, memory, chunks=chunks) for rank, memory in enumerate(recalled_items, 1))
    return RecallAnswer(request.query if request.query.strip() else "", memories, pending, degraded or None)
