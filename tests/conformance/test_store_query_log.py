"""The log of queries: what was asked, shown and opened."""

from __future__ import annotations

import samples

from octavo.model.ids import ChunkId, DocumentId
from octavo.model.projects_and_collections import Collection
from octavo.model.query_log import LoggedQuery, ShownHit
from octavo.sql_repositories.store import Store

A, B = ShownHit(DocumentId("doc_a"), ChunkId("chk_a")), ShownHit(DocumentId("doc_b"), ChunkId("chk_b"))
SECOND_OF_A = ShownHit(DocumentId("doc_a"), ChunkId("chk_a2"))


def test_queries_are_listed_newest_first_with_what_was_opened(store: Store, notes: Collection) -> None:
    log, project, generation = store.query_log, notes.project_id, store.generation()
    log.put(project, LoggedQuery(1.0, "erste → Frage", "hybrid", (A, B)))
    log.put(project, LoggedQuery(2.0, "second", "multi_hop", (B, A, SECOND_OF_A)))
    assert log.open(project, A.document, since=0.0)
    assert not log.open(project, DocumentId("doc_c"), since=0.0)
    assert not log.open(project, B.document, since=3.0), "too long ago"
    assert log.entries(project) == (
        LoggedQuery(2.0, "second", "multi_hop", (B, A, SECOND_OF_A), (A.document,)),
        LoggedQuery(1.0, "erste → Frage", "hybrid", (A, B)),
    )
    assert log.entries(project, 1) == log.entries(project)[:1]
    assert store.generation() == generation, "what was read is still current"


def test_a_log_is_forgotten_up_to_a_moment_and_by_project(store: Store, notes: Collection) -> None:
    other = samples.ensure(store, project="other").project_id
    for project in (notes.project_id, other):
        for at in (1.0, 2.0):
            store.query_log.put(project, LoggedQuery(at, "asked", "hybrid", (A,)))
    with store.transaction():
        assert store.query_log.clear(notes.project_id, before=2.0) == 1
    assert [entry.at for entry in store.query_log.entries(notes.project_id)] == [2.0]
    with store.transaction():
        assert store.query_log.clear(notes.project_id) == 1
    assert len(store.query_log.entries(other)) == 2
    assert not store.query_log.open(notes.project_id, A.document, since=0.0)
