"""The profile `memory`: weights by the kind of query, marks that lift, sequences, and every filter there is."""

from __future__ import annotations

import pytest
from set_clock import SetClock

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.model.memory import MemoryFilter
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.memory.memory_reading_and_writing import forget, memory_commit, memory_pin
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import ForgetRequest, MemoryCommitRequest, RecallRequest
from octavo.operations.memory.results import when
from octavo.operations.operation_lookup import OPERATIONS
from octavo.operations.projects.projects_and_sessions import sessions_start
from octavo.operations.projects.requests import SessionsStartRequest
from octavo.retrieval.stages.memory_stages import weight_profile


def commit(engine: Engine, said: str, **more: object) -> str:
    return memory_commit(engine, MemoryCommitRequest(text=said, **more)).item  # type: ignore[arg-type]


def found(engine: Engine, query: str = "pump", **more: object) -> list[str]:
    return [memory.item for memory in recall(engine, RecallRequest(query, **more)).memories]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "profile"),
    [
        ("outbox retries", "technical"),
        ("how does the outbox wait between retries?", "conversational"),
        ("the thing we said about the outbox yesterday", "conversational"),
        ("claimEvents()", "code"),
        ("src/outbox.py", "code"),
        ("Traceback (most recent call last)", "code"),
    ],
)
def test_a_query_is_weighed_by_what_kind_it_is(query: str, profile: str) -> None:
    assert weight_profile(query) == profile


def test_a_pinned_memory_is_lifted_among_its_like_but_not_into_every_answer(engine: Engine) -> None:
    first = commit(engine, "The pump was oiled in spring by the plumber.")
    second = commit(engine, "The pump was oiled in autumn by the plumber.")
    other = commit(engine, "Holidays begin in July.")
    before = found(engine, "pump oiled by the plumber")
    assert set(before) >= {first, second}
    last = [name for name in before if name in (first, second)][-1]
    memory_pin(engine, ForgetRequest(item=last))
    memory_pin(engine, ForgetRequest(item=other))
    assert found(engine, "pump oiled by the plumber") == [last, *(name for name in (first, second) if name != last)]
    assert found(engine, pinned_only=True, query="pump") == [last]


@pytest.mark.parametrize("how", [{}, {"query": ""}, {"kinds": ("fact",)}, {"as_of": "1d"}, {"created_after": "1d"}])
def test_recalling_where_nothing_was_ever_remembered_writes_nothing(engine: Engine, how: dict[str, object]) -> None:
    before = engine.store.generation()
    assert found(engine, **({"query": "pump"} | how)) == []  # type: ignore[arg-type]
    assert engine.store.generation() == before
    assert engine.collections() == ()
    assert engine.store.catalog.recipe(engine.project.id) is None


def test_a_misspelt_word_still_finds_what_was_meant(engine: Engine) -> None:
    item = commit(engine, "The thermostat is behind the door.")
    commit(engine, "Nothing else matters here.")
    assert found(engine, "thermosatt")[0] == item


def test_a_turn_is_found_by_what_was_said_around_it(engine: Engine) -> None:
    session = sessions_start(engine, SessionsStartRequest("talk")).session
    lines = (
        *("Ann: hello there", "Bob: good morning to you"),
        *("Ann: which pump did the plumber choose", "Bob: the grey one", "Ann: thanks a lot", "Bob: bye"),
    )
    names = [commit(engine, line, scope="talk", session=session) for line in lines]
    for number in range(10):
        commit(engine, f"Note {number}: the grey sky of day {number}", scope="elsewhere")
    items = {one.id: one for one in engine.store.memories.find(engine.project.id, MemoryFilter())}
    assert [items[name].position for name in names] == [1, 2, 3, 4, 5, 6]
    work(engine, Jobs())
    ranked = found(engine, "which pump did the plumber choose?", scopes=("talk",))
    assert ranked[0] == names[2]
    assert ranked.index(names[3]) < ranked.index(names[0])


def test_filters_keep_to_what_they_say(engine: Engine, clock: SetClock) -> None:
    clock.now = 1_700_000_000.0
    old = commit(engine, "The pump is blue.", kind="fact", tags=("a", "b"), scope="one")
    clock.now += 100.0
    new = commit(engine, "The pump is red.", kind="bug", tags=("b/c",), scope="two")
    both = {old, new}
    assert set(found(engine)) == both
    for asked, expected in (
        ({"kinds": ("fact",)}, {old}),
        ({"scopes": ("two", "three")}, {new}),
        ({"tags_all": ("a", "#b")}, {old}),
        ({"tags_any": ("a", "b")}, both),
        ({"created_after": when(clock.now - 50)}, {new}),
        ({"created_before": when(clock.now - 50)}, {old}),
        ({"item_ids": (old,)}, {old}),
        ({"exclude_item_ids": (old,)}, {new}),
        ({"canonical_only": True}, set()),
        ({"as_of": when(clock.now - 50)}, {old}),
    ):
        assert set(found(engine, **asked)) == expected, asked


def test_a_search_as_of_an_instant_finds_texts_that_were_since_replaced_or_put_away(
    engine: Engine, clock: SetClock
) -> None:
    clock.now = 1_700_000_000.0
    kept = commit(engine, "The pump is always on.")
    changed = commit(engine, "The pump is blue.")
    gone = commit(engine, "The pump is loud.")
    then = when(clock.now)
    clock.now += 100.0
    commit(engine, "The kettle is blue.", item=changed)
    forget(engine, ForgetRequest(item=gone))
    commit(engine, "The pump is new.")
    answer = recall(engine, RecallRequest("pump", as_of=then))
    assert {memory.item: (memory.version, memory.text) for memory in answer.memories} == {
        kept: (1, "The pump is always on."),
        changed: (1, "The pump is blue."),
        gone: (1, "The pump is loud."),
    }
    assert changed not in found(engine, "pump")
    assert "The pump is loud." in OPERATIONS["recall"].written(answer)


def test_what_changed_lately_counts_for_more(engine: Engine, clock: SetClock) -> None:
    clock.now = 1_700_000_000.0
    old = commit(engine, "The pump makes a noise in the morning.")
    clock.now += 30 * 86_400.0
    new = commit(engine, "The pump makes a noise in the evening.")
    assert found(engine, "pump noise") == [new, old]


def test_a_question_no_memory_answers_finds_none(engine: Engine) -> None:
    commit(engine, "The pump is blue.")
    commit(engine, "Bread rises overnight.")
    work(engine, Jobs())
    assert found(engine, "quarterly turnover of subsidiaries") == []
    assert len(found(engine, "quarterly turnover of subsidiaries", min_similarity=0.0)) <= 2


def test_a_score_is_a_likeness_between_nothing_and_one(engine: Engine) -> None:
    pump = commit(engine, "The pump in the cellar is blue.")
    before = recall(engine, RecallRequest("pump cellar blue")).memories[0]
    assert before.item == pump and before.score > 0.9
    work(engine, Jobs())
    assert recall(engine, RecallRequest("The pump in the cellar is blue.")).memories[0].score > 0.9
    commit(engine, "A pump of another make stands in the yard.")
    work(engine, Jobs())
    scores = [memory.score for memory in recall(engine, RecallRequest("pump in the cellar")).memories]
    assert len(scores) == 2
    assert all(0.0 <= score <= 1.0 for score in scores)
