"""What must not have been stored: texts and titles that are replaced in every version of documents and memories."""

from __future__ import annotations

import samples
from set_clock import SetClock

from octavo.model.ids import text_hash
from octavo.model.memory import (
    MemoryAction,
    MemoryCommit,
    MemoryId,
    MemoryItem,
    MemoryKind,
    MemoryStatus,
    MemoryVersion,
)
from octavo.model.projects_and_collections import Collection
from octavo.sql_repositories.store import Store

SECRET, HIDDEN = "key is abc123", "key is …"


def hide(title: str) -> str:
    return title.replace("abc123", "…")


def put(store: Store, notes: Collection, uri: str, text: str, title: str) -> str:
    """The hash of the document's text."""
    sample = samples.prepared(notes, uri, text, title=title)
    with store.transaction():
        samples.put(store, notes, sample)
    return sample.document.content_hash


def remember(store: Store, notes: Collection, digest: str, title: str) -> MemoryId:
    name = MemoryId("mem_a")
    item = MemoryItem(
        id=name,
        project_id=notes.project_id,
        kind=MemoryKind.FACT,
        scope="project",
        title=title,
        tags=(),
        links=(),
        pinned=False,
        status=MemoryStatus.ACTIVE,
        version=1,
        fingerprint=digest,
        created_at=10.0,
        updated_at=10.0,
        metadata={},
    )
    version = MemoryVersion(
        item_id=name,
        number=1,
        title=title,
        text_hash=digest,
        tags=(),
        author="a person",
        reason="",
        session_id=None,
        created_at=10.0,
        valid_from=5.0,
        valid_to=None,
        supersedes=None,
    )
    commit = MemoryCommit(
        item_id=name,
        action=MemoryAction.CREATED,
        version=1,
        status=item.status,
        pinned=False,
        author="a person",
        reason="",
        session_id=None,
        key=None,
        payload="hash",
        at=11.0,
    )
    with store.transaction():
        store.memories.put(item, commit, version)
    return name


def versions(store: Store, notes: Collection, uri: str) -> list[tuple[str, str]]:
    (document,) = store.documents.find(notes.project_id, uri)
    return [(version.title, version.text_hash) for version in store.documents.versions(notes.project_id, document.id)]


def test_a_replaced_text_is_in_no_version_of_documents_and_memories(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    before = put(store, notes, "a.md", SECRET, "abc123")
    clock.now += 60
    after = put(store, notes, "a.md", "nothing", "A")
    memory = remember(store, notes, before, "my abc123")
    with store.transaction():
        assert store.pruning.replace_text(notes.project_id, before, HIDDEN, hide) == (memory,)
    hidden = text_hash(HIDDEN)
    assert set(versions(store, notes, "a.md")) == {("…", hidden), ("A", after)}
    item = store.memories.get(notes.project_id, memory)
    assert item is not None and item.title == "my …"
    (version,) = store.memories.versions(notes.project_id, memory)
    assert (version.title, version.text_hash) == ("my …", hidden)


def test_titles_of_versions_change_except_where_their_texts_are_kept(store: Store, notes: Collection) -> None:
    put(store, notes, "a.md", "one", "abc123")
    kept = put(store, notes, "b.md", "two", "abc123")
    with store.transaction():
        assert store.pruning.retitle(notes.project_id, hide, {kept}) == 1
    assert [title for title, _ in versions(store, notes, "a.md")] == ["…"]
    assert [title for title, _ in versions(store, notes, "b.md")] == ["abc123"]


def test_every_text_that_is_or_was_is_told_and_whose_collection_it_is_of(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    first = put(store, notes, "a.md", "first", "A")
    clock.now += 60
    second = put(store, notes, "a.md", "second", "A")
    other = samples.ensure(store, "other")
    third = put(store, other, "b.md", "third", "B")
    stored = {digest: text.strip() for digest, text in store.pruning.stored_texts(notes.project_id)}
    assert stored == {first: "first", second: "second", third: "third"}
    assert store.pruning.texts_of(notes.project_id, notes.id) == {first, second}
