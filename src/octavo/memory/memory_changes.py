"""Every change of a memory: item, version, document, job and log entry are written in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from itertools import count

from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.fast_dataclass import dataclass, replace
from octavo.memory.draft import (
    ANONYMOUS,
    MemoryDraft,
    Provenance,
    checked,
    draft_of,
    first_written,
    payload_of,
    prepared_of,
    sequence_of,
    source_of,
)
from octavo.memory.memory_indexing import as_item, index_document
from octavo.memory.near_duplicate_similarity import fingerprint
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.typed_link_extraction import text_links
from octavo.model.ids import document_id, text_hash
from octavo.model.memory import (
    MemoryAction,
    MemoryCommit,
    MemoryId,
    MemoryItem,
    MemoryLink,
    MemoryStatus,
    MemoryVersion,
    SessionId,
    memory_id,
    memory_uri,
)
from octavo.model.prepared_document import PreparedDocument
from octavo.sources.secret_redaction import redacted

_RETRIES = 32  # attempts while other writers keep changing an item; each failed attempt is a change of theirs


class ChangedMeanwhile(Conflict):
    """The item is no longer as the caller read it: whatever was derived from it has to be derived again."""


@dataclass(frozen=True, slots=True)
class Committed:
    """A change with the item after it. `replayed` means that it was made earlier, under the same idempotency key."""

    item: MemoryItem
    commit: MemoryCommit
    replayed: bool = False


def create(
    memories: ProjectMemories,
    draft: MemoryDraft,
    by: Provenance = ANONYMOUS,
    *,
    unique: bool = False,
    payload: str | None = None,
) -> Committed:
    """A new item with its first version. `unique` returns the existing item when the scope has the same text.

    `payload` is the hash of the caller's request where that says more than this call.
    """
    draft = checked(draft)
    payload = payload or payload_of("create", draft, by, unique=unique)
    memories.ensure_collection()
    for occurrence in count():
        now = memories.clock()
        at = first_written(draft, now, now)
        name = memory_id(memories.project, draft.scope, text_hash(draft.text), at, occurrence)
        prepared = prepared_of(memories, name, draft, at)
        with memories.store.transaction():
            if replayed := replay(memories, by, payload):
                return replayed
            same = (
                memories.repository.same_text(memories.project, draft.scope, fingerprint(draft.text)) if unique else ()
            )
            if same:
                return unchanged(memories, same[0], by, payload)
            if memories.repository.get(memories.project, name) is not None:
                continue
            sequence = sequence_of(draft.scope, by.session)
            item = MemoryItem(
                id=name,
                project_id=memories.project,
                kind=draft.kind,
                scope=draft.scope,
                title=prepared.document.title,
                tags=prepared.document.tags,
                links=tuple(dict.fromkeys((*draft.links, *text_links(prepared.document)))),
                pinned=draft.pinned,
                status=MemoryStatus.ACTIVE,
                version=1,
                fingerprint=fingerprint(draft.text),
                created_at=at,
                updated_at=at,
                metadata=draft.metadata,
                canonical_key=draft.canonical_key,
                doc_class=draft.doc_class,
                sequence=sequence,
                position=memories.repository.last_position(memories.project, sequence) + 1 if sequence else 0,
            )
            return _write(memories, item, MemoryAction.CREATED, draft, prepared, by, payload)
    raise AssertionError("occurrences do not end")


def revise(
    memories: ProjectMemories,
    name: MemoryId,
    draft: MemoryDraft,
    by: Provenance = ANONYMOUS,
    *,
    expected: int | None = None,
    seen: MemoryItem | None = None,
    payload: str | None = None,
) -> Committed:
    """The next version of an item. It is a conflict when the item is not at version `expected`.

    `seen` is the item that the draft was derived from: `ChangedMeanwhile` is raised if it is no longer like that.
    """
    draft = checked(draft)
    payload = payload or payload_of("revise", draft, by, item=name, expected=expected)
    return _next_version(memories, name, draft, by, payload, MemoryAction.REVISED, expected, seen)


def restore(memories: ProjectMemories, name: MemoryId, number: int, by: Provenance = ANONYMOUS) -> Committed:
    """Makes an earlier version's text the next version. An archived item becomes active."""
    payload = payload_of("restore", None, by, item=name, number=number)
    versions = {version.number: version for version in memories.repository.versions(memories.project, name)}

    def restored(item: MemoryItem) -> Committed:
        earlier = versions.get(number)
        if earlier is None:
            raise NotFound(f"{name} has no version {number}", hint=f"its versions are 1 to {item.version}")
        text = memories.store.documents.texts(memories.project, [earlier.text_hash])[earlier.text_hash]
        draft = draft_of(item, text, earlier.title, earlier.tags)
        return _next_version(memories, name, draft, by, payload, MemoryAction.RESTORED, None, item)

    return from_current(memories, name, restored)


def from_current(memories: ProjectMemories, name: MemoryId, change: Callable[[MemoryItem], Committed]) -> Committed:
    """Makes a change that is derived from the item, and derives it again when another writer changed the item first."""
    for _ in range(_RETRIES):
        try:
            return change(existing(memories, name))
        except ChangedMeanwhile:
            continue
    raise Conflict(f"{name} keeps changing", hint="read it again, then decide")


def archive(memories: ProjectMemories, name: MemoryId, by: Provenance = ANONYMOUS) -> Committed:
    """Removes the memory from every search. Its history stays, and a version can be restored."""
    return _amend(memories, name, MemoryAction.ARCHIVED, by, status=MemoryStatus.ARCHIVED)


def pin(memories: ProjectMemories, name: MemoryId, by: Provenance = ANONYMOUS, *, pinned: bool = True) -> Committed:
    return _amend(memories, name, MemoryAction.PINNED if pinned else MemoryAction.UNPINNED, by, pinned=pinned)


def link(memories: ProjectMemories, name: MemoryId, target: MemoryLink, by: Provenance = ANONYMOUS) -> Committed:
    """Adds a link, unless the item already has it."""
    if not target.target.strip():
        raise InvalidArgument("a link needs a target")
    if secrets := redacted(target.target)[1]:
        raise InvalidArgument(
            f"the target seems to contain a secret ({secrets[0].kind})", hint="link to an address without it"
        )
    return _amend(memories, name, MemoryAction.LINKED, by, link=target)


def unlink(memories: ProjectMemories, name: MemoryId, target: MemoryLink, by: Provenance = ANONYMOUS) -> Committed:
    """Removes the links to a target, of its type or, where that is empty, of every; nothing changes where none is."""
    return _amend(memories, name, MemoryAction.UNLINKED, by, link=target)


def replay(memories: ProjectMemories, by: Provenance, payload: str) -> Committed | None:
    """The change already made under the idempotency key. Called inside the transaction that would otherwise write."""
    prior = memories.repository.commit_under(memories.project, by.key) if by.key is not None else None
    if prior is None:
        return None
    if prior.payload != payload:
        raise Conflict(
            f"the idempotency key {by.key} was used for something else",
            hint="use a new key for a new change, and the same one only to ask again",
            details={"key": by.key, "item": prior.item_id, "version": prior.version},
        )
    item = memories.repository.get(memories.project, prior.item_id)
    assert item is not None  # a foreign key: commits name items that exist
    return Committed(item, prior, replayed=True)


def unchanged(memories: ProjectMemories, item: MemoryItem, by: Provenance, payload: str) -> Committed:
    """Nothing to change. Recorded only under an idempotency key, so that a retry gets the same answer.

    Called inside the transaction that read the item. The log alone is written, never the item.
    """
    commit = log_entry(item, MemoryAction.UNCHANGED, by, payload, memories.clock())
    if by.key is not None:
        memories.repository.record(memories.project, commit)
    return Committed(item, commit)


def still_unchanged(memories: ProjectMemories, seen: MemoryItem, by: Provenance, payload: str) -> Committed:
    """Nothing to change in an item read before; `ChangedMeanwhile` if it is no longer like that."""
    if by.key is None:
        return unchanged(memories, seen, by, payload)
    with memories.store.transaction():
        if replayed := replay(memories, by, payload):
            return replayed
        return unchanged(memories, _as_seen(memories, seen), by, payload)


def _as_seen(memories: ProjectMemories, seen: MemoryItem) -> MemoryItem:
    item = existing(memories, seen.id)
    if item != seen:
        raise ChangedMeanwhile(f"{seen.id} has changed since it was read", hint="read it again, then decide")
    return item


def _next_version(
    memories: ProjectMemories,
    name: MemoryId,
    draft: MemoryDraft,
    by: Provenance,
    payload: str,
    action: MemoryAction,
    expected: int | None,
    seen: MemoryItem | None,
) -> Committed:
    memories.ensure_collection()
    prepared = prepared_of(memories, name, draft, memories.clock())
    with memories.store.transaction():
        if replayed := replay(memories, by, payload):
            return replayed
        item = existing(memories, name)
        if expected is not None and item.version != expected:
            raise Conflict(
                f"{name} is at version {item.version}, not {expected}",
                hint="read it again and edit the newer text",
                details={"item": name, "version": item.version},
            )
        if seen is not None:
            item = _as_seen(memories, seen)
        changed = replace(
            item,
            kind=draft.kind,
            scope=draft.scope,
            title=prepared.document.title,
            tags=prepared.document.tags,
            links=_links(memories, item, draft, prepared),
            pinned=item.pinned or draft.pinned,
            status=MemoryStatus.ACTIVE,
            version=item.version + 1,
            fingerprint=fingerprint(draft.text),
            created_at=first_written(draft, item.created_at, memories.clock()),
            updated_at=_monotonic_now(memories, item),
            metadata={**item.metadata, **draft.metadata},
            canonical_key=draft.canonical_key or item.canonical_key,
            doc_class=draft.doc_class or item.doc_class,
        )
        return _write(memories, changed, action, draft, prepared, by, payload)


def _write(
    memories: ProjectMemories,
    item: MemoryItem,
    action: MemoryAction,
    draft: MemoryDraft,
    prepared: PreparedDocument,
    by: Provenance,
    payload: str,
) -> Committed:
    at = item.updated_at
    version = MemoryVersion(
        item_id=item.id,
        number=item.version,
        title=item.title,
        text_hash=prepared.document.content_hash,
        tags=item.tags,
        author=by.author,
        reason=by.reason,
        session_id=_session(memories, by),
        created_at=at,
        valid_from=at if draft.valid_from is None else draft.valid_from,
        valid_to=draft.valid_to,
        supersedes=item.version - 1 or None,
    )
    commit = log_entry(item, action, by, payload, at)
    index_document(memories, as_item(prepared, item))  # stores the text, which a version's second copy is made of
    memories.repository.put(item, commit, version)
    return Committed(item, commit)


def _amend(
    memories: ProjectMemories,
    name: MemoryId,
    action: MemoryAction,
    by: Provenance,
    *,
    status: MemoryStatus | None = None,
    pinned: bool | None = None,
    link: MemoryLink | None = None,
) -> Committed:
    payload = payload_of(action.value, None, by, item=name, link=asdict(link) if link else None)
    with memories.store.transaction():
        if replayed := replay(memories, by, payload):
            return replayed
        item = existing(memories, name)
        changed = replace(
            item,
            status=item.status if status is None else status,
            pinned=item.pinned if pinned is None else pinned,
            links=_relinked(item, action, link) if link else item.links,
        )
        if changed == item:
            return unchanged(memories, item, by, payload)
        changed = replace(changed, updated_at=_monotonic_now(memories, item))
        commit = replace(log_entry(changed, action, by, payload, changed.updated_at), session_id=_session(memories, by))
        memories.repository.put(changed, commit)
        if status is MemoryStatus.ARCHIVED:
            uri = memory_uri(item.id)
            memories.store.documents.remove(
                memories.project, document_id(memories.project, memories.collection.id, uri)
            )
            memories.store.graph.resolve_references(memories.project)
            memories.store.ledger.forget(memories.project, memories.collection.id, [uri])
        return Committed(changed, commit)


def _relinked(item: MemoryItem, action: MemoryAction, link: MemoryLink) -> tuple[MemoryLink, ...]:
    if action is MemoryAction.LINKED:
        return tuple(dict.fromkeys((*item.links, link)))
    return tuple(kept for kept in item.links if kept.target != link.target or link.type not in ("", kept.type))


def log_entry(item: MemoryItem, action: MemoryAction, by: Provenance, payload: str, at: float) -> MemoryCommit:
    """The entry of the log for a change: what the item is after it, and whose change it is."""
    return MemoryCommit(
        item_id=item.id,
        action=action,
        version=item.version,
        status=item.status,
        pinned=item.pinned,
        author=by.author,
        reason=by.reason,
        session_id=by.session,
        key=by.key,
        payload=payload,
        at=at,
    )


def existing(memories: ProjectMemories, name: MemoryId) -> MemoryItem:
    """The item with this id, or `NotFound`."""
    item = memories.repository.get(memories.project, name)
    if item is None:
        raise NotFound(f"there is no memory {name}", hint="`octavo recall` finds memories and shows their ids")
    return item


def _links(
    memories: ProjectMemories, item: MemoryItem, draft: MemoryDraft, prepared: PreparedDocument
) -> tuple[MemoryLink, ...]:
    """Links that were added by hand stay; links of the earlier text stay only if the new text has them too."""
    before: tuple[MemoryLink, ...] = ()
    if item.links:
        digest = memories.repository.versions(memories.project, item.id)[-1].text_hash
        text = memories.store.documents.texts(memories.project, [digest])[digest]
        before = text_links(memories.prepare(source_of(memories, item.id, replace(draft, text=text), 0.0)).document)
    by_hand = (link for link in item.links if link not in before)
    return tuple(dict.fromkeys((*by_hand, *draft.links, *text_links(prepared.document))))


def _session(memories: ProjectMemories, by: Provenance) -> SessionId | None:
    if by.session is not None and memories.repository.session(memories.project, by.session) is None:
        raise NotFound(f"there is no session {by.session}", hint="`octavo sessions start` starts one")
    return by.session


def _monotonic_now(memories: ProjectMemories, item: MemoryItem) -> float:
    """Now, or the item's last change if the clock was set back: the times in an item's log never decrease."""
    return max(memories.clock(), item.updated_at)
