"""Change what is remembered: store a text, revise, restore, pin, link or archive a memory."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument
from octavo.fast_dataclass import replace
from octavo.memory import memory_changes, version_history
from octavo.memory.contradicted_memory import contradicted_by
from octavo.memory.draft import MemoryDraft, checked
from octavo.memory.folder_sync import sync
from octavo.memory.folder_sync_report import SyncReport
from octavo.memory.remember import refuse_secrets
from octavo.memory.remember import remember as remember_draft
from octavo.model.memory import SUPERSEDES, MemoryItem, MemoryKind, MemoryLink
from octavo.operations.memory.named_memory_lookup import instant, item_named, provenance
from octavo.operations.memory.requests import (
    ForgetRequest,
    MemoryCommitRequest,
    MemoryLinkRequest,
    MemoryRestoreRequest,
    MemorySyncRequest,
    MemoryUnlinkRequest,
    RememberRequest,
)
from octavo.operations.memory.results import MemoryState, memory_state
from octavo.path_resolution_and_private_folders import expand_user


def remember(engine: Engine, request: RememberRequest) -> MemoryState:
    draft = checked(
        MemoryDraft(
            text=request.text,
            kind=MemoryKind(request.kind),
            scope=request.scope,
            title=request.title.strip(),
            tags=request.tags,
            links=tuple(MemoryLink(target) for target in request.links),
            pinned=request.pin,
            valid_from=instant(engine, request.valid_from),
            valid_to=instant(engine, request.valid_to),
        )
    )
    remembered = remember_draft(engine.memories, draft, provenance(request), force=request.force)
    similarity = remembered.similarity.jaccard if remembered.similarity else None
    other = contradicted_by(engine.memories, remembered.committed.item)
    return memory_state(remembered.committed, similarity, other)


def forget(engine: Engine, request: ForgetRequest) -> MemoryState:
    """Removes the memory from every search; its history stays, and `memory_restore` brings it back."""
    item = item_named(engine, request.item, partly=True)
    return memory_state(memory_changes.archive(engine.memories, item.id, provenance(request)))


memory_archive = forget


def memory_commit(engine: Engine, request: MemoryCommitRequest) -> MemoryState:
    """Stores the text as it is given, without looking for duplicates as `remember` does."""
    name = item_named(engine, request.item).id if request.item else None
    if request.expected_version is not None and name is None:
        raise InvalidArgument("expected_version needs an item", hint="give the memory whose version it is")
    by = provenance(request)
    if name is None:
        made = memory_changes.create(engine.memories, _draft_without_secrets(engine, request, None), by)
        return memory_state(made, contradicted=contradicted_by(engine.memories, made.item))

    def revised(item: MemoryItem) -> memory_changes.Committed:
        draft, expected = _draft_without_secrets(engine, request, item), request.expected_version
        return memory_changes.revise(engine.memories, item.id, draft, by, expected=expected, seen=item)

    made = memory_changes.from_current(engine.memories, name, revised)
    return memory_state(made, contradicted=contradicted_by(engine.memories, made.item))


def memory_restore(engine: Engine, request: MemoryRestoreRequest) -> MemoryState:
    item = item_named(engine, request.item)
    return memory_state(memory_changes.restore(engine.memories, item.id, request.version, provenance(request)))


def memory_pin(engine: Engine, request: ForgetRequest) -> MemoryState:
    return _pin(engine, request, pinned=True)


def memory_unpin(engine: Engine, request: ForgetRequest) -> MemoryState:
    return _pin(engine, request, pinned=False)


def _pin(engine: Engine, request: ForgetRequest, *, pinned: bool) -> MemoryState:
    item = item_named(engine, request.item)
    return memory_state(memory_changes.pin(engine.memories, item.id, provenance(request), pinned=pinned))


def memory_link(engine: Engine, request: MemoryLinkRequest) -> MemoryState:
    item = item_named(engine, request.item)
    target = _superseded(engine, request.target, item) if request.type == SUPERSEDES else request.target
    link = MemoryLink(target, request.type)
    return memory_state(memory_changes.link(engine.memories, item.id, link, provenance(request)))


def memory_unlink(engine: Engine, request: MemoryUnlinkRequest) -> MemoryState:
    item = item_named(engine, request.item)
    link = MemoryLink(request.target, request.type.strip())
    return memory_state(memory_changes.unlink(engine.memories, item.id, link, provenance(request)))


def _draft_without_secrets(engine: Engine, request: MemoryCommitRequest, item: MemoryItem | None) -> MemoryDraft:
    draft = _draft(engine, request, item)
    if not request.force:
        refuse_secrets(draft)
    return draft


def _draft(engine: Engine, request: MemoryCommitRequest, item: MemoryItem | None) -> MemoryDraft:
    superseded = [_superseded(engine, name, item) for name in request.supersedes]
    links = (*map(MemoryLink, request.links), *(MemoryLink(name, SUPERSEDES) for name in superseded))
    base = _draft_of(engine, item, request.text) if item else MemoryDraft(request.text)
    return replace(
        base,
        kind=MemoryKind(request.kind) if request.kind else base.kind,
        scope=request.scope or base.scope,
        title=request.title.strip() or base.title,
        tags=base.tags if request.tags is None else request.tags,
        links=links,
        pinned=request.pin,
        valid_from=instant(engine, request.valid_from),
        valid_to=instant(engine, request.valid_to),
    )


def _superseded(engine: Engine, name: str, by: MemoryItem | None) -> str:
    """The memory of this name, which another one replaces: a link that names none would replace nothing."""
    item = item_named(engine, name)
    if by is not None and item.id == by.id:
        raise InvalidArgument(f"{by.id} cannot supersede itself", hint="a new version already replaces the one before")
    return item.id


def _draft_of(engine: Engine, item: MemoryItem, text: str) -> MemoryDraft:
    """The item with another text. A title that was derived from the old text is derived again."""
    title = version_history.given_title(engine.memories, item)
    return MemoryDraft(
        text, item.kind, item.scope, title, item.tags, canonical_key=item.canonical_key, doc_class=item.doc_class
    )


def memory_sync(engine: Engine, request: MemorySyncRequest) -> SyncReport:
    return sync(engine.memories, expand_user(request.folder), accept_deletions=request.accept_deletions)
