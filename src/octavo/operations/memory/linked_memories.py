"""What was remembered about something: memories that link to a document, a note, or anything with a name."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.model.collection import MEMORIES
from octavo.model.ids import DocumentId, collection_id
from octavo.model.memory import MemoryId, MemoryStatus, memory_of
from octavo.operations.memory.recall import recall
from octavo.operations.memory.request_resolution import in_project
from octavo.operations.memory.requests import MemoryLinkedRequest, RecallRequest
from octavo.operations.memory.results import LinkedMemoriesAnswer, LinkState

_MOST = 200


def memory_linked(engine: Engine, request: MemoryLinkedRequest) -> LinkedMemoriesAnswer:
    engine = in_project(engine, request.project)
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
