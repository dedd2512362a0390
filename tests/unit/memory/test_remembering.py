"""What `remember` keeps, and what it takes for something it knows."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from set_clock import SetClock

from octavo.algorithms.model_inputs.prompt_quotations import QUOTED_MEMORIES
from octavo.engine.engine import Engine
from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.memory.memory_quotations import quoted, without_quotations
from octavo.memory.near_duplicate_similarity import compare, fingerprint
from octavo.model.memory import MemoryFilter, MemoryId
from octavo.operations.memory.memory_reading_and_writing import (
    forget,
    memory_diff,
    memory_get,
    memory_pin,
    memory_restore,
    remember,
)
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import (
    ForgetRequest,
    MemoryDiffRequest,
    MemoryGetRequest,
    MemoryRestoreRequest,
    RecallRequest,
    RememberRequest,
)
from octavo.operations.memory.results import MemoryState
from octavo.operations.operation_lookup import OPERATIONS
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search

LONG = (
    "Deployments run from the main branch every weekday at nine. A failed deployment is rolled back by itself, the "
    "channel hears of it, and whoever merged last looks after it before anything else is merged."
)


def keep(engine: Engine, text: str, **more: object) -> MemoryState:
    return remember(engine, RememberRequest(text=text, **more))  # type: ignore[arg-type]


def texts(engine: Engine, **asked: object) -> list[str]:
    return [memory.text for memory in recall(engine, RecallRequest(**asked)).memories]  # type: ignore[arg-type]


def test_what_was_remembered_is_recalled_and_found_by_any_search(engine: Engine) -> None:
    done = keep(engine, "The pump switch is behind the boiler.")
    assert (done.action, done.version, done.similarity) == ("created", 1, None)
    assert texts(engine, query="where is the pump switch?") == ["The pump switch is behind the boiler."]
    assert [hit.uri for hit in search(engine, SearchRequest("pump switch")).hits] == [f"{done.item}.md"]


def test_the_same_words_are_not_kept_twice(engine: Engine) -> None:
    first = keep(engine, "The pump switch is behind the boiler.")
    again = keep(engine, "  the PUMP switch\nis behind the boiler ")
    assert (again.item, again.action, again.version) == (first.item, "unchanged", 1)
    assert keep(engine, "The pump switch is behind the boiler.", scope="cellar").action == "created"


def test_an_edited_text_becomes_the_next_version_and_keeps_title_and_tags(engine: Engine) -> None:
    first = keep(engine, LONG, title="Deployments", tags=("ops",), kind="rule")
    edited = keep(engine, LONG.replace("nine", "ten"), tags=("morning",), kind="rule")
    assert (edited.item, edited.action, edited.version) == (first.item, "revised", 2)
    assert (edited.title, edited.tags) == ("Deployments", ("ops", "morning"))
    assert edited.similarity is not None and edited.similarity > 0.8
    changed = memory_diff(engine, MemoryDiffRequest("Deployments")).diff.splitlines()
    assert [line[:1] for line in changed if line[:3] not in ("---", "+++")] == ["@", "-", "+"]
    assert keep(engine, LONG.replace("nine", "eight"), kind="journal").action == "created"


def test_facts_that_differ_in_one_word_of_few_are_two_facts(engine: Engine) -> None:
    names = {keep(engine, text).item for text in ("Alice likes tea", "Bob likes tea", "Alice likes coffee")}
    assert len(names) == 3


def test_a_part_of_what_is_known_says_nothing_new(engine: Engine) -> None:
    first = keep(engine, LONG)
    part = keep(engine, LONG[: LONG.index(", the channel")])
    assert (part.item, part.action, part.version) == (first.item, "unchanged", 1)


def test_what_was_forgotten_may_be_remembered_again(engine: Engine) -> None:
    first = keep(engine, LONG)
    assert forget(engine, ForgetRequest(item=first.item)).status == "archived"
    assert texts(engine, query="deployments") == texts(engine) == []
    again = keep(engine, LONG)
    assert (again.action, again.item == first.item) == ("created", False)


def test_a_forgotten_memory_comes_back_with_one_of_its_versions(engine: Engine) -> None:
    first = keep(engine, LONG)
    forget(engine, ForgetRequest(item=first.item))
    assert memory_restore(engine, MemoryRestoreRequest(item=first.item, version=1)).status == "active"
    assert texts(engine, query="deployments") == [LONG]


def test_what_recall_answered_is_not_remembered_again(engine: Engine) -> None:
    first = keep(engine, LONG)
    keep(engine, "The pump switch is behind the boiler.")
    answer = recall(engine, RecallRequest("deployments pump"))
    before = engine.store.memories.find(engine.project.id, MemoryFilter(status=None))
    for text in (
        OPERATIONS["recall"].written(answer),
        json.dumps(asdict(answer)),
        answer.memories[0].text,
        f"> {LONG}",
    ):
        assert keep(engine, text).action == "unchanged"
    assert engine.store.memories.find(engine.project.id, MemoryFilter(status=None)) == before
    mixed = keep(engine, f"Deployments now wait for the pump.\n\n{OPERATIONS['recall'].written(answer)}")
    assert mixed.action == "created"
    assert memory_get(engine, MemoryGetRequest(mixed.item)).text == "Deployments now wait for the pump.\n"
    assert first.version == 1


def test_what_another_projects_recall_answered_is_refused(engine: Engine) -> None:
    block = quoted(MemoryId("mem_" + "0" * 20), 1, " fact", "Theirs.")
    with pytest.raises(InvalidArgument, match="only quotes"):
        keep(engine, block)


@pytest.mark.parametrize("text", ["The password: 'dX7-quarry-Lantern'", "AKIA" + "QWERTYUIOP123456"[::-1]])
def test_a_secret_is_refused_unless_forced_and_never_repeated(engine: Engine, text: str) -> None:
    with pytest.raises(InvalidArgument, match="secret") as caught:
        keep(engine, text)
    assert "quarry" not in str(caught.value) + str(caught.value.details)
    assert texts(engine) == []
    assert keep(engine, text, force=True).action == "created"


def test_the_same_key_gives_the_same_answer_whatever_came_between(engine: Engine, clock: SetClock) -> None:
    first = keep(engine, LONG, idempotency_key="k", author="a person")
    keep(engine, LONG.replace("nine", "ten"))
    clock.now += 60
    again = keep(engine, LONG, idempotency_key="k", author="a person")
    assert (again.item, again.action, again.version, again.replayed) == (first.item, "created", 1, True)
    assert memory_get(engine, MemoryGetRequest(first.item)).version == 2
    with pytest.raises(Conflict):
        keep(engine, "Something else.", idempotency_key="k", author="a person")
    known = keep(engine, LONG.replace("nine", "ten"), idempotency_key="known")
    assert known.action == "unchanged"
    assert keep(engine, LONG.replace("nine", "ten"), idempotency_key="known").replayed


def test_recall_keeps_to_its_filters(engine: Engine, clock: SetClock) -> None:
    keep(engine, "Alpha is a rule about tests.", kind="rule", tags=("a/b",))
    clock.now += 100
    beta = keep(engine, "Beta is a bug in tests.", kind="bug", scope="task", pin=True)
    clock.now += 100
    keep(engine, "Gamma is a plan for tests.", kind="plan")
    both = {"Alpha is a rule about tests.", "Gamma is a plan for tests."}
    assert texts(engine, query="tests", kinds=("bug",)) == texts(engine, query="tests", scopes=("task",))
    assert set(texts(engine, query="tests", scopes=("project",))) == both
    assert texts(engine, query="tests", tags_all=("#a",)) == ["Alpha is a rule about tests."]
    assert texts(engine, query="tests", pinned_only=True) == ["Beta is a bug in tests."]
    assert set(texts(engine, query="tests", exclude_item_ids=(beta.item,))) == both
    assert texts(engine, query="tests", item_ids=(beta.item,)) == ["Beta is a bug in tests."]
    assert len(texts(engine, query="tests", created_after="1970-01-01T00:18:00")) == 2
    assert texts(engine, query="tests", kinds=("summary",)) == []
    assert texts(engine) == ["Beta is a bug in tests.", "Gamma is a plan for tests.", "Alpha is a rule about tests."]
    assert len(texts(engine, query="tests", limit=2)) == 2
    with pytest.raises(NotFound):
        recall(engine, RecallRequest("tests", item_ids=("mem_nowhere",)))


def test_what_no_longer_holds_comes_last_and_says_so(engine: Engine) -> None:
    keep(engine, "The tests tests tests took ten minutes.", valid_to="1970-01-01T00:10:00", valid_from="1970-01-01")
    keep(engine, "Nothing slows us, and the tests are quick these days.")
    first, second = recall(engine, RecallRequest("tests")).memories
    assert (first.holds, second.holds) == (True, False)
    assert "does not hold now" in OPERATIONS["recall"].written(recall(engine, RecallRequest("tests")))


def test_a_memory_is_read_as_of_an_instant(engine: Engine, clock: SetClock) -> None:
    done = keep(engine, LONG, title="Deployments")
    clock.now += 100
    keep(engine, LONG.replace("nine", "ten"))
    clock.now += 100
    memory_pin(engine, ForgetRequest(item=done.item))
    then = memory_get(engine, MemoryGetRequest("Deployments", as_of="1970-01-01T00:17:00"))
    assert (then.version, then.text, then.superseded_by, then.pinned) == (1, LONG + "\n", 2, False)
    now = memory_get(engine, MemoryGetRequest("Deployments"))
    assert (now.version, now.supersedes, now.pinned) == (2, 1, True)


@given(st.text(max_size=200), st.text(max_size=20))
def test_a_quotation_is_recognised_whatever_it_quotes(text: str, about: str) -> None:
    block = quoted(MemoryId("mem_" + "a" * 20), 3, " " + about.replace("\n", " ").replace("\r", " "), text)
    told = without_quotations(f"Before.\n{QUOTED_MEMORIES}\n\n{block}\nAfter.")
    assert told.quoted[:1] == (MemoryId("mem_" + "a" * 20),)
    assert told.text.split() == ["Before.", "After."]


@given(st.text(), st.text())
def test_similarity_is_a_share_and_equal_texts_have_all_of_it(one: str, other: str) -> None:
    like = compare(one, other)
    assert 0.0 <= like.jaccard <= 1.0
    assert 0.0 <= like.contained <= 1.0
    assert compare(one, one).jaccard == 1.0
    assert compare(other, one).jaccard == like.jaccard
    assert fingerprint(one) == fingerprint(f"  {one.upper().lower()}\n") or one.upper().lower() != one
