"""Corrections of a fact are told from facts that are merely alike, and the memory that was corrected is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from set_clock import SetClock

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, NotFound
from octavo.memory.changed_facts import differ_in_value, sentences
from octavo.operations.memory.memory_reading_and_writing import forget, memory_commit, memory_link, remember
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import (
    ForgetRequest,
    MemoryCommitRequest,
    MemoryLinkRequest,
    RecallRequest,
    RememberRequest,
)
from octavo.operations.memory.results import MemoryState
from octavo.operations.names_and_hints_by_interface import answer_for_model

PAIRS = Path(__file__).parents[2] / "golden" / "memory"
OLD, NEW = "The staging server is 10.0.0.5", "The staging server is 10.0.0.7"


def pairs(name: str) -> list[tuple[str, str]]:
    lines = (PAIRS / f"{name}.tsv").read_text("utf-8").splitlines()
    return [(known, new) for known, new in (line.split("\t") for line in lines)]


def corrects(new: str, known: str) -> bool:
    return any(differ_in_value(ours, theirs) for ours in sentences(new) for theirs in sentences(known))


def keep(engine: Engine, text: str, **more: object) -> MemoryState:
    return remember(engine, RememberRequest(text=text, **more))  # type: ignore[arg-type]


def named(answer: MemoryState) -> str | None:
    return answer.contradicts.item if answer.contradicts else None


def test_nearly_all_corrections_are_seen_and_hardly_a_related_fact_is_taken_for_one() -> None:
    assert [pair for pair in pairs("corrections") if not corrects(pair[1], pair[0])] == [
        ("Python 3.11 is our minimum version", "Our minimum version is Python 3.12")
    ]
    assert [pair for pair in pairs("related") if corrects(pair[1], pair[0])] == [
        ("Benchmark run: 812 ms", "Benchmark run: 790 ms")
    ]


def test_no_fact_corrects_itself_and_a_correction_is_one_in_both_directions() -> None:
    every = [*pairs("corrections"), *pairs("related")]
    assert not [text for pair in every for text in pair if corrects(text, text)]
    assert [pair for pair in every if corrects(*pair)] == [pair for pair in every if corrects(*pair[::-1])]


def test_the_memory_that_says_something_else_is_named_until_it_is_superseded(engine: Engine, clock: SetClock) -> None:
    first = keep(engine, OLD)
    assert first.contradicts is None
    clock.now += 1
    second = keep(engine, NEW)
    assert (second.action, second.contradicts and second.contradicts.text) == ("created", OLD)
    assert named(second) == first.item and named(keep(engine, NEW)) == first.item
    assert second.contradicts is not None
    command = f"octavo memory link {second.item} {first.item} --type supersedes"
    assert second.contradicts.supersede == command
    for_model = answer_for_model(second, {"memory_link"}).contradicts
    assert for_model.supersede == f"memory_link with item={second.item}, target={first.item}, type=supersedes"
    memory_link(engine, MemoryLinkRequest(second.item, first.item, "supersedes"))
    assert named(keep(engine, NEW)) is None
    assert named(keep(engine, OLD)) == second.item, "what was superseded is said again"


def test_a_memory_is_superseded_by_its_title_too_and_by_no_name_that_none_has(engine: Engine) -> None:
    first, second = keep(engine, OLD), keep(engine, NEW)
    for target, refusal in (("The server", NotFound), (NEW, InvalidArgument)):
        with pytest.raises(refusal):
            memory_link(engine, MemoryLinkRequest(second.item, target, "supersedes"))
    memory_link(engine, MemoryLinkRequest(second.item, OLD, "supersedes"))
    (found,) = (one for one in recall(engine, RecallRequest("staging")).memories if one.item == first.item)
    assert (found.holds, found.superseded_by) == (False, second.item)


@pytest.mark.parametrize(
    "more",
    [{"scope": "elsewhere"}, {"kind": "task"}, {"kind": "journal"}, {"valid_to": "1970-01-01"}],
    ids=str,
)
def test_another_scope_an_event_and_what_held_once_contradict_nothing(engine: Engine, more: dict[str, str]) -> None:
    keep(engine, OLD, **more)
    assert named(keep(engine, NEW)) is None


def test_a_forgotten_memory_is_not_named_and_a_sentence_of_a_longer_one_is(engine: Engine, clock: SetClock) -> None:
    first = keep(engine, OLD)
    forget(engine, ForgetRequest(first.item))
    assert named(keep(engine, NEW)) is None
    longer = keep(engine, "# Deployment\n\nWe ship from main. Deploys run on Mondays. Dr. Meyer is told of each.\n")
    clock.now += 1
    answer = keep(engine, "Deploys run on Thursdays.", kind="decision")
    assert named(answer) == longer.item
    committed = memory_commit(engine, MemoryCommitRequest(text="Deploys run on Fridays.", supersedes=(answer.item,)))
    assert named(committed) == longer.item


def test_the_corrected_memory_is_found_in_a_library_that_has_all_of_them(engine: Engine, clock: SetClock) -> None:
    every = pairs("corrections")
    ids = [keep(engine, known, scope=f"scope {number}").item for number, (known, _) in enumerate(every)]
    clock.now += 1
    answers = [named(keep(engine, new, scope=f"scope {number}")) for number, (_, new) in enumerate(every)]
    missed = [pair for pair, item, answer in zip(every, ids, answers, strict=True) if item != answer]
    assert missed == [("Python 3.11 is our minimum version", "Our minimum version is Python 3.12")]


def test_it_is_found_among_many_memories_of_the_same_words(engine: Engine) -> None:
    known = keep(engine, "The server for staging in Frankfurt is 10.0.0.5")
    for number in range(60):
        keep(engine, f"The server for load tests number {number} in Frankfurt is 10.1.0.{number}")
    assert named(keep(engine, "The server for staging in Frankfurt is 10.0.0.6")) == known.item
