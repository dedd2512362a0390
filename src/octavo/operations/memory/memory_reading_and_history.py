"""Read memories: one as it was, its versions, commits and diffs; those that a client is offered as resources."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.fast_dataclass import dataclass
from octavo.memory import canonical_documents, version_history
from octavo.memory.version_diffs import diff, section_diff
from octavo.model.memory import MemoryFilter, MemoryItem
from octavo.model.projects_and_collections import MEMORIES
from octavo.operations.memory.named_memory_lookup import instant, item_named
from octavo.operations.memory.requests import MemoryDiffRequest, MemoryGetRequest, MemoryHistoryRequest
from octavo.operations.memory.results import (
    ChangeState,
    MemoryDiffAnswer,
    MemoryGetAnswer,
    MemoryHistoryAnswer,
    TypedLink,
    version_state,
    when,
)
from octavo.operations.same_named_fields import filled


def memory_get(engine: Engine, request: MemoryGetRequest) -> MemoryGetAnswer:
    item = item_named(engine, request.item, partly=True)
    moment = version_history.as_of(engine.memories, item, instant(engine, request.as_of))
    shown = (
        moment.shown if request.version is None else version_history.version(engine.memories, item.id, request.version)
    )
    version = shown.version
    return filled(
        MemoryGetAnswer,
        *(moment, shown, version, item),
        written=when,
        item=item.id,
        version=version.number,
        links=tuple(link.target for link in item.links),
        typed_links=tuple(TypedLink(link.target, link.type) for link in item.links),
        doc_class=item.doc_class or None,
    )


def memory_history(engine: Engine, request: MemoryHistoryRequest) -> MemoryHistoryAnswer:
    history = version_history.history(engine.memories, item_named(engine, request.item, partly=True))
    return filled(
        MemoryHistoryAnswer,
        history.item,
        item=history.item.id,
        versions=tuple(version_state(version) for version in history.versions),
        changes=tuple(
            filled(ChangeState, commit, session=commit.session_id, written=when) for commit in history.commits
        ),
    )


def memory_diff(engine: Engine, request: MemoryDiffRequest) -> MemoryDiffAnswer:
    item = item_named(engine, request.item, partly=True)
    new = request.new or item.version
    old = request.old or max(1, new - 1)
    compared = (engine.memories, item.id, old, new, request.context)
    sections = section_diff(*compared) if request.by_section else ()
    return MemoryDiffAnswer(item.id, old, new, diff(*compared), sections)


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
