"""What was remembered about something: memories that link to a document, a note, or anything with a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from recto.engine.engine import Engine
from recto.model.collection import MEMORIES
from recto.model.ids import DocumentId, collection_id
from recto.model.limits import Field
from recto.model.memory import MemoryId, MemoryStatus, memory_of
from recto.operations.memories import ProjectName, within
from recto.operations.recall import FoundMemory, RecallAnswer, RecallRequest, recall
from recto.operations.recall import text as memories_text

_MOST = 200


@dataclass(frozen=True, slots=True)
class LinkedMemoriesRequest:
    """Without a query: the memories that link there, pinned ones and the latest first."""

    target: Annotated[
        str, Field(min_length=1, max_length=4_096, description="A document's uri, a memory's id, or a name as linked.")
    ]
    query: Annotated[str, Field(max_length=20_000, description="A question or words.")] = ""
    types: Annotated[
        tuple[Annotated[str, Field(max_length=100)], ...],
        Field(max_length=20, description="Only links of these types: mentions, plans, refactors, fixes…"),
    ] = ()
    limit: Annotated[int, Field(ge=1, le=200, description="How many memories at most.")] = 10
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class LinkState:
    """One link: from which memory, of which type, and what stands around it in the text."""

    item: str
    type: str
    context: str


@dataclass(frozen=True, slots=True)
class LinkedMemoriesAnswer:
    """`resolved` are the documents that the target means now; none of them makes it a ghost."""

    query: str
    target: str
    resolved: tuple[str, ...]
    memories: tuple[FoundMemory, ...]
    links: tuple[LinkState, ...]
    pending: int


def search_linked_memories(engine: Engine, request: LinkedMemoriesRequest) -> LinkedMemoriesAnswer:
    engine = within(engine, request.project)
    target = request.target.strip()
    with engine.store.reading():
        resolved, back = _meant(engine, target)
        links = _links(engine, target, resolved, back, request.types)
    names = tuple(dict.fromkeys(one.item for one in links))
    if not names:
        return LinkedMemoriesAnswer(request.query, target, resolved, (), (), engine.freshness().pending)
    found = recall(engine, RecallRequest(request.query, request.limit, item_ids=names[:_MOST]))
    shown = {one.item for one in found.memories}
    told = tuple(one for one in links if one.item in shown)
    return LinkedMemoriesAnswer(request.query, target, resolved, found.memories, told, found.pending)


def linked_text(answer: LinkedMemoriesAnswer) -> str:
    if not answer.memories:
        return f"Nothing is remembered about {answer.target}."
    said = [f"- {one.item} {one.type}: {one.context}".rstrip(": ") for one in answer.links]
    body = memories_text(RecallAnswer(answer.query or answer.target, answer.memories, answer.pending))
    return "\n".join([f"Memories that link to {answer.target}:", *said, "", body])


def _meant(engine: Engine, target: str) -> tuple[tuple[str, ...], dict[MemoryId, str]]:
    """The uris of the documents a target means, and the memories that the graph leads back to, with the context."""
    store, project = engine.store, engine.project.id
    memories = collection_id(project, MEMORIES)
    found = [one for one in store.documents.find(project, target) if one.collection_id != memories]
    back: dict[MemoryId, str] = {}
    for document in found:
        for edge in store.graph.back(project, document.id):
            source = _memory(engine, edge.source)
            if source is not None:
                back.setdefault(source, edge.context)
    return tuple(one.uri for one in found), back


def _memory(engine: Engine, document: DocumentId) -> MemoryId | None:
    held = engine.store.documents.get(engine.project.id, document)
    return memory_of(held.uri) if held is not None and held.collection == MEMORIES else None


def _links(
    engine: Engine, target: str, resolved: tuple[str, ...], back: dict[MemoryId, str], types: tuple[str, ...]
) -> tuple[LinkState, ...]:
    memories, project = engine.store.memories, engine.project.id
    written = {target, *resolved, *(_bare(uri) for uri in (target, *resolved))}
    named = memories.linking(project, sorted(written), types)
    found = {(item, link.type): LinkState(item, link.type, _around(engine, item, link.target)) for link, item in named}
    for item, context in back.items():
        held = memories.get(project, item)
        if held is None or held.status is not MemoryStatus.ACTIVE or any(item == name for name, _ in found):
            continue
        kinds = [link.type for link in held.links if context and link.target in context] or ["mentions"]
        for kind in kinds:
            if not types or kind in types:
                found[item, kind] = LinkState(item, kind, context)
    return tuple(found[key] for key in sorted(found))


def _bare(uri: str) -> str:
    """As notes are linked: without the folder and `.md`."""
    return uri.rpartition("/")[2].removesuffix(".md")


def _around(engine: Engine, item: MemoryId, target: str) -> str:
    """About a hundred characters around the link in the memory's text; empty where somebody linked it otherwise."""
    digest = engine.store.memories.versions(engine.project.id, item)[-1].text_hash
    text = engine.store.documents.texts(engine.project.id, [digest])[digest]
    at = text.find(f"[[{target}")
    if at < 0:
        return ""
    start, end = max(0, at - 50), min(len(text), at + len(target) + 54)
    return " ".join(text[start:end].split())
