"""Damaged texts and vectors: told, removed, and nothing else with them."""

from __future__ import annotations

from typing import Any

import pytest
import samples
from set_clock import SetClock

from octavo.model.ids import project_id
from octavo.model.library_damage import LibraryPart
from octavo.model.projects_and_collections import Collection
from octavo.model.stored_rows import VectorRow
from octavo.sql_repositories.store import Store

PROFILE = samples.embedding_profile()


def put(store: Store, notes: Collection, uri: str, text: str) -> str:
    """The hash of the document's text."""
    sample = samples.prepared(notes, uri, text)
    entry = samples.ledger_entry(uri, document_id=sample.document.id)
    with store.transaction():
        samples.put(store, notes, sample)
        store.ledger.record(notes.project_id, notes.id, [entry])
    return sample.document.content_hash


def embed(store: Store, notes: Collection) -> None:
    with store.transaction():
        rows = [VectorRow(key, bytes(8)) for key in store.embeddings.pending(notes.project_id, PROFILE)]
        store.embeddings.put(notes.project_id, PROFILE, rows)


def damage_text(store: Any, digest: str) -> None:
    """Other bytes where the text was, as a failing disk leaves them."""
    raw = bytes.fromhex(digest)
    with store.transaction():
        store.shared.run("text_remove", {"hash": raw})
        project = store.keys.project(project_id("sample"))
        store.shared.run("text_put", {"project": project, "hash": raw, "size": 4, "data": b"torn"})


def test_a_damaged_text_goes_with_its_document_and_what_is_whole_stays(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    torn = put(store, notes, "a.md", "torn")
    put(store, notes, "b.md", "whole")
    damage_text(store, torn)
    assert {damage.part for damage in store.damage()} == {LibraryPart.DOCUMENTS}
    assert store.unreadable_versions() == ((torn, "the text of version 1 of a.md"),)
    assert store.remove_damaged() == 1
    assert store.damage() == ()
    assert store.documents.find(notes.project_id, "a.md") == ()
    assert len(store.documents.find(notes.project_id, "b.md")) == 1
    assert list(store.ledger.entries(notes.project_id, notes.id)) == ["b.md"], "the next run reads it again"


def test_an_earlier_version_whose_text_is_damaged_goes_and_the_current_one_stays(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    torn = put(store, notes, "a.md", "torn")
    clock.now += 60
    put(store, notes, "a.md", "whole")
    damage_text(store, torn)
    assert store.remove_damaged() == 1
    (document,) = store.documents.find(notes.project_id, "a.md")
    assert [version.version for version in store.documents.versions(notes.project_id, document.id)] == [2]


def test_a_vector_whose_checksum_is_wrong_is_made_again(
    store: Store, notes: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, notes, "a.md", "one")
    with monkeypatch.context() as writing:
        writing.setattr("octavo.sql_repositories.embeddings.zlib.crc32", lambda data: 1)
        embed(store, notes)
    put(store, notes, "b.md", "two")
    embed(store, notes)
    assert not store.embeddings.pending(notes.project_id, PROFILE)
    assert {damage.part for damage in store.damage()} == {LibraryPart.VECTORS}
    assert store.remove_damaged(texts_too=False) == 1
    assert len(store.embeddings.pending(notes.project_id, PROFILE)) == 1
    embed(store, notes)
    assert store.damage() == ()
    assert store.restored() == 0, "nothing was restored from elsewhere"
