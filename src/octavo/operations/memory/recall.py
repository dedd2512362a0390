"""Finds memories by query and filters, now or as of an earlier instant, and those that link to a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from octavo.algorithms.ranking.reciprocal_rank_fusion import reciprocal_rank
from octavo.engine.engine import Engine
from octavo.fast_dataclass import replace
from octavo.memory.draft import MemoryDraft, prepared_of
from octavo.memory.memories_from_hits import Excerpt, Recalled, excerpts, falling, latest, narrowed, only, recalled
from octavo.memory.memory_indexing import index_document
from octavo.memory.version_history import version
from octavo.model.document import Kind
from octavo.model.ids import DocumentId, collection_id
from octavo.model.memory import (
    MemoryCommit,
    MemoryFilter,
    MemoryId,
    MemoryItem,
    MemoryKind,
    MemoryStatus,
    memory_of,
    memory_uri,
)
from octavo.model.projects_and_collections import MEMORIES
from octavo.model.query import Filters, Query
from octavo.model.search_result import Hit
from octavo.operations.answer_conversion import filled
from octavo.operations.filter_parsing import conditions
from octavo.operations.memory.named_memory_lookup import instant, item_named
from octavo.operations.memory.requests import MemoryLinkedRequest, RecallRequest
from octavo.operations.memory.results import (
    FoundMemory,
    LinkedMemoriesAnswer,
    LinkState,
    MemoryChunk,
    RecallAnswer,
    when,
)
from octavo.operations.search.search_as_of import embed_if_answering
from octavo.retrieval.profiles_by_name import profile_named
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


OVERSAMPLING, FILTERED_OVERSAMPLING = 4, 8  # hits per memory asked for: several may be of the same memory
_MOST = 200


def recall(engine: Engine, request: RecallRequest) -> RecallAnswer:
    profile = profile_named(request.profile)
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
    return filled(
        MemoryFilter,
        request,
        kinds=tuple(map(MemoryKind, request.kinds)),
        tags_all=tuple(tag.lstrip("#") for tag in request.tags_all),
        tags_any=tuple(tag.lstrip("#") for tag in request.tags_any),
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
    memories = tuple(_found_memory(rank, memory, chunks=chunks) for rank, memory in enumerate(recalled_items, 1))
    return RecallAnswer(request.query if request.query.strip() else "", memories, pending, degraded or None)


def memory_linked(engine: Engine, request: MemoryLinkedRequest) -> LinkedMemoriesAnswer:
    target = request.target.strip()
    with engine.store.reading():
        resolved, backlinks = _resolved(engine, target)
        links = _links(engine, target, resolved, backlinks, request.types)
    items = tuple(dict.fromkeys(link.item for link in links))
    if not items:
        return LinkedMemoriesAnswer(request.query, target, resolved, (), (), engine.freshness().pending)
    answer = recall(engine, RecallRequest(request.query, request.limit, item_ids=items[:_MOST]))
    shown = {memory.item for memory in answer.memories}
    links = tuple(link for link in links if link.item in shown)
    return LinkedMemoriesAnswer(
        request.query, target, resolved, answer.memories, links, answer.pending, answer.degraded
    )


def _resolved(engine: Engine, target: str) -> tuple[tuple[str, ...], dict[MemoryId, str]]:
    """The uris of the documents a target names, and the memories whose graph edges lead to them, with the context."""
    store, project = engine.store, engine.project.id
    memories = collection_id(project, MEMORIES)
    documents = [document for document in store.documents.find(project, target) if document.collection_id != memories]
    backlinks: dict[MemoryId, str] = {}
    for document in documents:
        for edge in store.graph.back(project, document.id):
            source = _memory(engine, edge.source)
            if source is not None:
                backlinks.setdefault(source, edge.context)
    return tuple(document.uri for document in documents), backlinks


def _memory(engine: Engine, name: DocumentId) -> MemoryId | None:
    document = engine.store.documents.get(engine.project.id, name)
    return memory_of(document.uri) if document is not None and document.collection == MEMORIES else None


def _links(
    engine: Engine, target: str, resolved: tuple[str, ...], backlinks: dict[MemoryId, str], types: tuple[str, ...]
) -> tuple[LinkState, ...]:
    repository, project = engine.store.memories, engine.project.id
    names = {target, *resolved, *(_wikilink_name(uri) for uri in (target, *resolved))}
    by_name = repository.linking(project, sorted(names), types)
    links = {
        (item, link.type): LinkState(item, link.type, _context(engine, item, link.target)) for link, item in by_name
    }
    for item, context in backlinks.items():
        memory = repository.get(project, item)
        if memory is None or memory.status is not MemoryStatus.ACTIVE or any(item == known for known, _ in links):
            continue
        named = [link.type for link in memory.links if context and link.target in context] or ["mentions"]
        for link_type in named:
            if not types or link_type in types:
                links[item, link_type] = LinkState(item, link_type, context)
    return tuple(links[key] for key in sorted(links))


def _wikilink_name(uri: str) -> str:
    """As notes are linked: without the folder and `.md`."""
    return uri.rpartition("/")[2].removesuffix(".md")


def _context(engine: Engine, item: MemoryId, target: str) -> str:
    """About a hundred characters around the link in the memory's text; empty for a link that is not in its text."""
    digest = engine.store.memories.versions(engine.project.id, item)[-1].text_hash
    text = engine.store.documents.texts(engine.project.id, [digest])[digest]
    at = text.find(f"[[{target}")
    if at < 0:
        return ""
    start, end = max(0, at - 50), min(len(text), at + len(target) + 54)
    return " ".join(text[start:end].split())


def _found_memory(rank: int, memory: Recalled, *, chunks: bool = False) -> FoundMemory:
    item, version = memory.item, memory.version
    cited = memory.hits[0].citation if memory.hits else None
    return filled(
        FoundMemory,
        *(memory, version, item),
        written=when,
        rank=rank,
        item=item.id,
        version=version.number,
        text=memory.excerpt,
        score=round(memory.score, 6),
        created_at=when(item.created_at),
        uri=memory_uri(item.id),
        heading_path=cited.heading_path if cited else (),
        anchor=(cited.anchor or None) if cited else None,
        start=cited.span.start if cited else 0,
        end=cited.span.end if cited else len(memory.excerpt),
        start_line=cited.lines.first if cited else 1,
        end_line=cited.lines.last if cited else 1 + memory.excerpt.count("\n"),
        chunks=tuple(map(_chunk, memory.hits)) if chunks else None,
        doc_class=item.doc_class or None,
        chunk_id=memory.hits[0].chunk_id if memory.hits else None,
    )


def _chunk(hit: Hit) -> MemoryChunk:
    cited = hit.citation
    return filled(
        MemoryChunk,
        *(hit, cited, cited.span),
        start_line=cited.lines.first,
        end_line=cited.lines.last,
        text=hit.excerpt,
        truncated=hit.excerpt_truncated,
        anchor=cited.anchor or None,
    )
