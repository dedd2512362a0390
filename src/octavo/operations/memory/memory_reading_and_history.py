"""Read a memory as it was, and see what changed: its versions, its commits, and diffs between them."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.memory import version_history
from octavo.memory.version_diffs import diff, section_diff
from octavo.operations.answer_fields import answer_from
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


def memory_get(engine: Engine, request: MemoryGetRequest) -> MemoryGetAnswer:
    item = item_named(engine, request.item, partly=True)
    moment = version_history.as_of(engine.memories, item, instant(engine, request.as_of))
    shown = (
        moment.shown if request.version is None else version_history.version(engine.memories, item.id, request.version)
    )
    version = shown.version
    return answer_from(
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
    return answer_from(
        MemoryHistoryAnswer,
        history.item,
        item=history.item.id,
        versions=tuple(version_state(version) for version in history.versions),
        changes=tuple(
            answer_from(ChangeState, commit, session=commit.session_id, written=when) for commit in history.commits
        ),
    )


def memory_diff(engine: Engine, request: MemoryDiffRequest) -> MemoryDiffAnswer:
    item = item_named(engine, request.item, partly=True)
    new = request.new or item.version
    old = request.old or max(1, new - 1)
    compared = (engine.memories, item.id, old, new, request.context)
    sections = section_diff(*compared) if request.by_section else ()
    return MemoryDiffAnswer(item.id, old, new, diff(*compared), sections)
