"""Read a memory as it was, and see what changed: its versions, its commits, and diffs between them."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.memory import version_history
from octavo.memory.version_diffs import diff, section_diff
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
    when_or_none,
)


def memory_get(engine: Engine, request: MemoryGetRequest) -> MemoryGetAnswer:
    item = item_named(engine, request.item, partly=True)
    moment = version_history.as_of(engine.memories, item, instant(engine, request.as_of))
    shown = (
        moment.shown if request.version is None else version_history.version(engine.memories, item.id, request.version)
    )
    version = shown.version
    return MemoryGetAnswer(
        item=item.id,
        version=version.number,
        kind=item.kind.value,
        scope=item.scope,
        title=version.title,
        tags=version.tags,
        links=tuple(link.target for link in item.links),
        pinned=moment.pinned,
        status=moment.status.value,
        text=shown.text,
        author=version.author,
        reason=version.reason,
        created_at=when(version.created_at),
        valid_from=when(version.valid_from),
        valid_to=when_or_none(version.valid_to),
        supersedes=version.supersedes,
        superseded_by=shown.superseded_by,
        typed_links=tuple(TypedLink(link.target, link.type) for link in item.links),
        canonical_key=item.canonical_key,
        doc_class=item.doc_class or None,
    )


def memory_history(engine: Engine, request: MemoryHistoryRequest) -> MemoryHistoryAnswer:
    history = version_history.history(engine.memories, item_named(engine, request.item, partly=True))
    return MemoryHistoryAnswer(
        item=history.item.id,
        title=history.item.title,
        status=history.item.status.value,
        versions=tuple(version_state(version) for version in history.versions),
        changes=tuple(
            ChangeState(
                action=commit.action.value,
                at=when(commit.at),
                version=commit.version,
                status=commit.status.value,
                pinned=commit.pinned,
                author=commit.author,
                reason=commit.reason,
                session=commit.session_id,
            )
            for commit in history.commits
        ),
    )


def memory_diff(engine: Engine, request: MemoryDiffRequest) -> MemoryDiffAnswer:
    item = item_named(engine, request.item, partly=True)
    new = request.new or item.version
    old = request.old or max(1, new - 1)
    compared = (engine.memories, item.id, old, new, request.context)
    sections = section_diff(*compared) if request.by_section else ()
    return MemoryDiffAnswer(item.id, old, new, diff(*compared), sections)
