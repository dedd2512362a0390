"""Tokens by the hash of each, and the writes that were made with them."""

from __future__ import annotations

import pytest
import samples

from octavo.model.access_token import AccessScope, AccessToken, AuditedWrite, token_hash
from octavo.model.projects_and_collections import Collection
from octavo.sql_repositories.store import Store

READER = AccessToken("reader", token_hash("octavo_a"), AccessScope.READ, ("one", "zwei"), 60, 1.0, 9.0)
KEEPER = AccessToken("keeper", token_hash("octavo_b"), AccessScope.ADMIN, (), None, 2.0)


def test_a_token_is_found_by_its_hash_as_it_was_put(store: Store, notes: Collection) -> None:
    with store.transaction():
        store.access.put(READER)
        store.access.put(KEEPER)
    assert store.access.tokens() == (KEEPER, READER)
    assert store.access.by_hash(READER.hash) == READER
    assert store.access.by_hash(token_hash("octavo_c")) is None


def test_a_revoked_token_keeps_the_moment_of_its_end(store: Store, notes: Collection) -> None:
    with store.transaction():
        store.access.put(READER)
        store.access.revoke("reader", 3.0)
        store.access.revoke("reader", 4.0)
    revoked = store.access.by_hash(READER.hash)
    assert revoked is not None and revoked.revoked_at == 3.0 and not revoked.holds(2.0)


def test_a_name_is_used_once(store: Store, notes: Collection) -> None:
    with store.transaction():
        store.access.put(READER)
    with pytest.raises(Exception, match=r".+"), store.transaction():
        store.access.put(READER)


def test_writes_are_listed_newest_first_of_every_project_or_of_one_token(store: Store, notes: Collection) -> None:
    other, generation = samples.ensure(store, project="other").project_id, store.generation()
    first = AuditedWrite(1.0, "keeper", "remember", "default", "ok")
    second = AuditedWrite(2.0, "reader", "forget", "other", "FORBIDDEN")
    store.access.note_write(notes.project_id, first._replace(project=_name(store, notes)))
    store.access.note_write(other, second)
    assert store.access.writes(10) == (second, first._replace(project=_name(store, notes)))
    assert store.access.writes(1) == (second,)
    assert [write.operation for write in store.access.writes(10, "keeper")] == ["remember"]
    assert store.generation() >= generation


def _name(store: Store, notes: Collection) -> str:
    return next(project.name for project in store.catalog.projects() if project.id == notes.project_id)
