"""Memories: read, followed through their versions, made and changed."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument
from octavo.fast_dataclass import Value, replace
from octavo.memory import canonical_documents, memory_changes, version_history
from octavo.memory.contradicted_memory import contradicted_by
from octavo.memory.draft import MemoryDraft, checked
from octavo.memory.folder_sync import sync
from octavo.memory.folder_sync_report import SyncReport
from octavo.memory.remember import refuse_secrets
from octavo.memory.remember import remember as remember_draft
from octavo.memory.version_diffs import diff, section_diff
from octavo.model.memory import SUPERSEDES, MemoryFilter, MemoryItem, MemoryKind, MemoryLink
from octavo.model.projects_and_collections import MEMORIES
from octavo.operations.answer_conversion import filled
from octavo.operations.memory.named_memory_lookup import instant, item_named, provenance
from octavo.operations.memory.requests import (
    ForgetRequest,
    MemoryCommitRequest,
    MemoryDiffRequest,
    MemoryGetRequest,
    MemoryHistoryRequest,
    MemoryLinkRequest,
    MemoryRestoreRequest,
    MemorySyncRequest,
    MemoryUnlinkRequest,
    RememberRequest,
)
from octavo.operations.memory.results import (
    ChangeState,
    MemoryDiffAnswer,
    MemoryGetAnswer,
    MemoryHistoryAnswer,
    MemoryState,
    TypedLink,
    memory_state,
    version_state,
    when,
)
from octavo.path_resolution_and_private_folders import expand_user


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


class ReadMemory(Value):
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
