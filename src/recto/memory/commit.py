"""Every change of a memory: item, version, document, job and log entry in one transaction, or none of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import count

from recto.errors import Conflict, InvalidArgument, NotFound
from recto.graph.edges import linked
from recto.memory.desk import Desk
from recto.memory.draft import NOBODY, Circumstances, Draft, checked, payload_of, prepared_of, sequence_of, source_of
from recto.memory.likeness import fingerprint
from recto.memory.links import text_links
from recto.model.ids import RecipeId, document_id, text_hash
from recto.model.index import Prepared
from recto.model.job import JobKind
from recto.model.ledger import FileStamp, LedgerEntry, Outcome
from recto.model.memory import (
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
from recto.model.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Committed:
    """A change with the item as it stands after it. `replayed` means that it had already been made."""

    item: MemoryItem
    commit: MemoryCommit
    replayed: bool = False


def create(
    desk: Desk, draft: Draft, by: Circumstances = NOBODY, *, unique: bool = False, payload: str | None = None
) -> Committed:
    """A new item with its first version. `unique` answers with the existing item when the scope has the same text.

    `payload` stands for what was asked for where that was more than this call says.
    """
    draft = checked(draft)
    payload = payload or payload_of("create", draft, by, unique=unique)
    desk.settle()
    for occurrence in count():
        at = desk.clock()
        name = memory_id(desk.project, draft.scope, text_hash(draft.text), at, occurrence)
        prepared = prepared_of(desk, name, draft, at)
        with desk.store.transaction():
            if replayed := replay(desk, by, payload):
                return replayed
            same = desk.store.memories.same_text(desk.project, draft.scope, fingerprint(draft.text)) if unique else ()
            if same:
                return unchanged(desk, same[0], by, payload)
            if desk.store.memories.get(desk.project, name) is not None:
                continue
            sequence = sequence_of(draft.scope, by.session)
            item = MemoryItem(
                id=name,
                project_id=desk.project,
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
                position=desk.store.memories.last_position(desk.project, sequence) + 1 if sequence else 0,
            )
            return _write(desk, item, MemoryAction.CREATED, draft, prepared, by, payload)
    raise AssertionError("occurrences do not end")


def revise(
    desk: Desk,
    name: MemoryId,
    draft: Draft,
    by: Circumstances = NOBODY,
    *,
    expected: int | None = None,
    payload: str | None = None,
) -> Committed:
    """A new version of an item. `expected` is the version it must stand at; another one is a conflict."""
    draft = checked(draft)
    payload = payload or payload_of("revise", draft, by, item=name, expected=expected)
    return _next_version(desk, name, draft, by, payload, MemoryAction.REVISED, expected)


def restore(desk: Desk, name: MemoryId, number: int, by: Circumstances = NOBODY) -> Committed:
    """An earlier version's text as a new version. An archived item is active again."""
    payload = payload_of("restore", None, by, item=name, number=number)
    item = _known(desk, name)
    wanted = next((one for one in desk.store.memories.versions(desk.project, name) if one.number == number), None)
    if wanted is None:
        raise NotFound(f"{name} has no version {number}", hint=f"its versions are 1 to {item.version}")
    text = desk.store.documents.texts(desk.project, [wanted.text_hash])[wanted.text_hash]
    draft = Draft(
        text,
        item.kind,
        item.scope,
        wanted.title,
        wanted.tags,
        item.links,
        metadata=item.metadata,
        canonical_key=item.canonical_key,
        doc_class=item.doc_class,
    )
    return _next_version(desk, name, draft, by, payload, MemoryAction.RESTORED, None)


def archive(desk: Desk, name: MemoryId, by: Circumstances = NOBODY) -> Committed:
    """Out of every search from now on; its history stays, and a version can be restored."""
    return _amend(desk, name, MemoryAction.ARCHIVED, by, status=MemoryStatus.ARCHIVED)


def pin(desk: Desk, name: MemoryId, by: Circumstances = NOBODY, *, pinned: bool = True) -> Committed:
    return _amend(desk, name, MemoryAction.PINNED if pinned else MemoryAction.UNPINNED, by, pinned=pinned)


def link(desk: Desk, name: MemoryId, target: MemoryLink, by: Circumstances = NOBODY) -> Committed:
    """Adds a link; a link that is there already is not added twice."""
    if not target.target.strip():
        raise InvalidArgument("a link needs a target")
    return _amend(desk, name, MemoryAction.LINKED, by, link=target)


def replay(desk: Desk, by: Circumstances, payload: str) -> Committed | None:
    """The answer already given under the idempotency key; inside the transaction that would otherwise write."""
    prior = desk.store.memories.commit_under(desk.project, by.key) if by.key is not None else None
    if prior is None:
        return None
    if prior.payload != payload:
        raise Conflict(
            f"the idempotency key {by.key} was used for something else",
            hint="use a new key for a new change, and the same one only to ask again",
            details={"key": by.key, "item": prior.item_id, "version": prior.version},
        )
    item = desk.store.memories.get(desk.project, prior.item_id)
    assert item is not None  # commits name items that exist: the database holds them to it
    return Committed(item, prior, replayed=True)


def unchanged(desk: Desk, item: MemoryItem, by: Circumstances, payload: str) -> Committed:
    """Nothing to do. Written down only under an idempotency key, where the next answer must be the same."""
    commit = _commit(item, MemoryAction.UNCHANGED, by, payload, desk.clock())
    if by.key is not None:
        desk.store.memories.put(item, commit)
    return Committed(item, commit)


def placed(prepared: Prepared, item: MemoryItem) -> Prepared:
    """The document as it stands in the library: when it changed, and what it comes after."""
    document = replace(prepared.document, modified_at=item.updated_at)
    if item.sequence:
        where = {"sequence": item.sequence, "position": item.position}
        document = replace(document, metadata={**document.metadata, **where})
    return replace(prepared, document=document)


def index_document(desk: Desk, prepared: Prepared) -> None:
    """Puts the current text of a memory where searches look, and promises its vectors. Inside a transaction."""
    store, project, document = desk.store, desk.project, prepared.document
    keys = store.documents.put(project, desk.collection.id, prepared)
    pairs = list(zip(keys, prepared.chunks, strict=True))
    store.lexical.put(project, [(key, indexed.lexical) for key, indexed in pairs])
    store.embeddings.expect(project, [(key, indexed.inputs) for key, indexed in pairs])
    store.graph.put(project, desk.collection.id, [linked(document)])
    entry = LedgerEntry(
        uri=document.uri,
        outcome=Outcome.INDEXED,
        stamp=FileStamp(len(document.text), int(document.modified_at * 1e9), 0),
        content_hash=document.content_hash,
        recipe_id=_recipe_id(desk.recipe),
        document_id=document.id,
        warnings=document.warnings,
    )
    store.ledger.record(project, desk.collection.id, [entry])
    # One waiting job fills in whatever is missing when it runs: a hundred commits need no hundred jobs.
    store.outbox.enqueue(project, JobKind.EMBED, "pending", {})


@lru_cache(maxsize=8)
def _recipe_id(recipe: Recipe) -> RecipeId:
    """Named once: to name a recipe costs a tenth of a commit."""
    return recipe.id


def _next_version(
    desk: Desk,
    name: MemoryId,
    draft: Draft,
    by: Circumstances,
    payload: str,
    action: MemoryAction,
    expected: int | None,
) -> Committed:
    desk.settle()
    prepared = prepared_of(desk, name, draft, desk.clock())
    with desk.store.transaction():
        if replayed := replay(desk, by, payload):
            return replayed
        item = _known(desk, name)
        if expected is not None and item.version != expected:
            raise Conflict(
                f"{name} stands at version {item.version}, not {expected}",
                hint="read it again and decide on the newer text",
                details={"item": name, "version": item.version},
            )
        changed = replace(
            item,
            kind=draft.kind,
            scope=draft.scope,
            title=prepared.document.title,
            tags=prepared.document.tags,
            links=_links(desk, item, draft, prepared),
            pinned=item.pinned or draft.pinned,
            status=MemoryStatus.ACTIVE,
            version=item.version + 1,
            fingerprint=fingerprint(draft.text),
            updated_at=_later(desk, item),
            metadata={**item.metadata, **draft.metadata},
            canonical_key=draft.canonical_key or item.canonical_key,
            doc_class=draft.doc_class or item.doc_class,
        )
        return _write(desk, changed, action, draft, prepared, by, payload)


def _write(
    desk: Desk,
    item: MemoryItem,
    action: MemoryAction,
    draft: Draft,
    prepared: Prepared,
    by: Circumstances,
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
        session_id=_session(desk, by),
        created_at=at,
        valid_from=at if draft.valid_from is None else draft.valid_from,
        valid_to=draft.valid_to,
        supersedes=item.version - 1 or None,
    )
    commit = _commit(item, action, by, payload, at)
    desk.store.memories.put(item, commit, version)
    index_document(desk, placed(prepared, item))
    return Committed(item, commit)


def _amend(
    desk: Desk,
    name: MemoryId,
    action: MemoryAction,
    by: Circumstances,
    *,
    status: MemoryStatus | None = None,
    pinned: bool | None = None,
    link: MemoryLink | None = None,
) -> Committed:
    payload = payload_of(action.value, None, by, item=name, link=asdict(link) if link else None)
    with desk.store.transaction():
        if replayed := replay(desk, by, payload):
            return replayed
        item = _known(desk, name)
        changed = replace(
            item,
            status=item.status if status is None else status,
            pinned=item.pinned if pinned is None else pinned,
            links=tuple(dict.fromkeys((*item.links, link))) if link else item.links,
        )
        if changed == item:
            return unchanged(desk, item, by, payload)
        changed = replace(changed, updated_at=_later(desk, item))
        commit = replace(_commit(changed, action, by, payload, changed.updated_at), session_id=_session(desk, by))
        desk.store.memories.put(changed, commit)
        if status is MemoryStatus.ARCHIVED:
            uri = memory_uri(item.id)
            desk.store.documents.remove(desk.project, document_id(desk.project, desk.collection.id, uri))
            desk.store.graph.settle(desk.project)
            desk.store.ledger.forget(desk.project, desk.collection.id, [uri])
        return Committed(changed, commit)


def _commit(item: MemoryItem, action: MemoryAction, by: Circumstances, payload: str, at: float) -> MemoryCommit:
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


def _known(desk: Desk, name: MemoryId) -> MemoryItem:
    item = desk.store.memories.get(desk.project, name)
    if item is None:
        raise NotFound(f"there is no memory {name}", hint="`recto recall` finds memories and shows their ids")
    return item


def _links(desk: Desk, item: MemoryItem, draft: Draft, prepared: Prepared) -> tuple[MemoryLink, ...]:
    """What somebody linked it to stays; what its earlier text linked to stays only if the new text does."""
    before: tuple[MemoryLink, ...] = ()
    if item.links:
        digest = desk.store.memories.versions(desk.project, item.id)[-1].text_hash
        text = desk.store.documents.texts(desk.project, [digest])[digest]
        before = text_links(desk.prepare(source_of(desk, item.id, replace(draft, text=text), 0.0)).document)
    kept = (link for link in item.links if link not in before)
    return tuple(dict.fromkeys((*kept, *draft.links, *text_links(prepared.document))))


def _session(desk: Desk, by: Circumstances) -> SessionId | None:
    if by.session is not None and desk.store.memories.session(desk.project, by.session) is None:
        raise NotFound(f"there is no session {by.session}", hint="start one first, or leave the session out")
    return by.session


def _later(desk: Desk, item: MemoryItem) -> float:
    """Now, or the item's last change where the clock was set back: the log of an item runs one way."""
    return max(desk.clock(), item.updated_at)
