"""What language models have answered."""

from __future__ import annotations

import samples
from set_clock import SetClock

from octavo.model.language_model_calls import Completion, Usage
from octavo.model.projects_and_collections import Collection
from octavo.sql_repositories.store import Store

A, B = "a" * 64, "b" * 64


def test_an_answer_is_known_for_its_model_prompt_and_input_alone(store: Store, notes: Collection) -> None:
    kept, project = store.completions, notes.project_id
    kept.put(project, "model", "prompt@1", A, Completion("An answer → here.", Usage(3, 4)), 1_000)
    assert kept.known(project, "model", "prompt@1", A) == Completion("An answer → here.", Usage(3, 4, cached=True))
    assert kept.known(project, "other", "prompt@1", A) is None
    assert kept.known(project, "model", "prompt@2", A) is None
    assert kept.known(project, "model", "prompt@1", B) is None
    kept.put(project, "model", "prompt@1", A, Completion("Another."), 1_000)
    known = kept.known(project, "model", "prompt@1", A)
    assert known is not None and known.text == "Another." and kept.count(project) == 1


def test_the_oldest_answers_go_when_all_take_too_much(store: Store, notes: Collection, clock: SetClock) -> None:
    kept, project = store.completions, notes.project_id
    for number in range(4):
        clock.now += 1
        kept.put(project, "model", "p@1", f"{number:064}", Completion("x" * 36), 250)
    assert [kept.known(project, "model", "p@1", f"{number:064}") is not None for number in range(4)] == [
        False,
        False,
        True,
        True,
    ]
    with store.transaction():
        assert kept.prune(project, 0) == 2
    assert kept.count(project) == 0


def test_answers_are_a_projects_own(store: Store, notes: Collection) -> None:
    other = samples.ensure(store, project="other").project_id
    generation = store.generation()
    store.completions.put(notes.project_id, "model", "p@1", A, Completion("x"), 1_000)
    assert store.generation() == generation
    assert store.completions.known(other, "model", "p@1", A) is None
