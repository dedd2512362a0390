"""What rerankers have said."""

from __future__ import annotations

import samples
from set_clock import SetClock

from octavo.model.ids import text_hash
from octavo.model.projects_and_collections import Collection
from octavo.sql_repositories.store import Store

ASKED, A, B, C = (text_hash(text) for text in ("question", "a", "b", "c"))


def test_a_score_is_known_for_its_model_question_and_passage_alone(store: Store, notes: Collection) -> None:
    scores, project = store.rerank_scores, notes.project_id
    scores.put(project, "model@1", ASKED, {A: 1.5, B: -2.0})
    assert scores.known(project, "model@1", ASKED, [A, B, C]) == {A: 1.5, B: -2.0}
    assert scores.known(project, "model@1", ASKED, [B]) == {B: -2.0}
    assert scores.known(project, "model@2", ASKED, [A]) == {}
    assert scores.known(project, "model@1", A, [A]) == {}
    assert scores.known(samples.ensure(store, project="other").project_id, "model@1", ASKED, [A]) == {}


def test_a_score_may_change_and_moves_no_generation(store: Store, notes: Collection) -> None:
    generation = store.generation()
    store.rerank_scores.put(notes.project_id, "m", ASKED, {A: 1.0})
    store.rerank_scores.put(notes.project_id, "m", ASKED, {A: 2.0})
    store.rerank_scores.put(notes.project_id, "m", ASKED, {})
    assert store.rerank_scores.known(notes.project_id, "m", ASKED, [A, A]) == {A: 2.0}
    assert store.generation() == generation


def test_the_oldest_scores_are_forgotten_first(store: Store, notes: Collection, clock: SetClock) -> None:
    for digest in (A, B, C):
        store.rerank_scores.put(notes.project_id, "m", ASKED, {digest: 1.0})
        clock.now += 10
    with store.transaction():
        assert store.rerank_scores.prune(notes.project_id, 2) == 1
    assert set(store.rerank_scores.known(notes.project_id, "m", ASKED, [A, B, C])) == {B, C}
    with store.transaction():
        assert store.rerank_scores.prune(notes.project_id, 2) == 0
        assert store.rerank_scores.prune(notes.project_id, 0) == 2
    assert store.check() == ()
