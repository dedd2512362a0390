"""What holds of memories whatever is done to them, in whatever order, however often it is asked for again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.config.schema import Config, Embedding
from recto.engine.engine import Engine
from recto.engine.parts import Parts
from recto.engine.wiring import open_engine
from recto.errors import Conflict
from recto.memory import commit
from recto.memory.desk import Desk
from recto.memory.diffs import diff, section_diff
from recto.memory.draft import Circumstances, Draft
from recto.memory.history import history, version
from recto.model.memory import MemoryFilter
from recto.operations.memories import when
from recto.operations.recall import RecallRequest, recall
from recto.testing.clock import SetClock
from recto.testing.memory_store import MemoryStore

TEXTS = ["alpha common", "beta common\n\n# Heading\n\nmore", "gamma [[src/a.py]] common", "delta common\n"]


@dataclass(frozen=True, slots=True)
class Step:
    action: str
    item: int
    text: str
    wait: float
    key: str | None


steps = st.lists(
    st.builds(
        Step,
        action=st.sampled_from(["create", "create", "revise", "restore", "archive", "pin", "unpin", "again"]),
        item=st.integers(0, 3),
        text=st.sampled_from(TEXTS),
        wait=st.sampled_from([0.0, 1.0, 5.0, -2.0]),
        key=st.sampled_from([None, None, "k1", "k2"]),
    ),
    max_size=10,
)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    config = Config(library=tmp_path_factory.mktemp("library") / "l.db", embedding=Embedding(provider="hashing"))
    with open_engine(config, create=True) as engine:
        return engine._parts


def opened(parts: Parts, clock: SetClock) -> Engine:
    return Engine(replace(parts, store=MemoryStore(clock=clock), clock=clock, accelerator=None), "sample")


def done(desk: Desk, names: list[str], step: Step) -> commit.Committed | None:
    """Applies a step to one of the items there are; None where it cannot apply."""
    by = Circumstances(author="a", key=step.key)
    if step.action == "create" or not names:
        return commit.create(desk, Draft(step.text), by)
    name = desk.item(names[step.item % len(names)]).id
    match step.action:
        case "revise":
            return commit.revise(desk, name, Draft(step.text), by)
        case "restore":
            return commit.restore(desk, name, 1, by)
        case "archive":
            return commit.archive(desk, name, by)
        case "pin" | "unpin":
            return commit.pin(desk, name, by, pinned=step.action == "pin")
    return None


def log(desk: Desk, names: list[str]) -> dict[str, tuple[tuple[object, ...], tuple[object, ...]]]:
    told = {name: history(desk, desk.item(name)) for name in names}
    return {name: (one.versions, one.commits) for name, one in told.items()}


@settings(max_examples=60)
@given(steps)
def test_history_is_only_ever_added_to(parts: Parts, todo: list[Step]) -> None:
    clock = SetClock()
    with opened(parts, clock) as engine:
        names: list[str] = []
        before = log(engine.desk, names)
        for step in todo:
            clock.now += step.wait
            try:
                made = done(engine.desk, names, step)
            except Conflict:
                made = None  # a key that was used for something else
            if made is not None and made.item.id not in names:
                names.append(made.item.id)
            after = log(engine.desk, names)
            for name, (versions, commits) in before.items():
                assert after[name][0][: len(versions)] == versions
                assert after[name][1][: len(commits)] == commits
            before = after


@settings(max_examples=40)
@given(steps, st.integers(0, 9))
def test_restoring_a_version_leaves_no_difference_to_it(parts: Parts, todo: list[Step], which: int) -> None:
    clock = SetClock()
    with opened(parts, clock) as engine:
        desk = engine.desk
        name = commit.create(desk, Draft("zero common")).item.id
        for step in todo:
            clock.now += abs(step.wait)
            commit.revise(desk, name, Draft(step.text))
        number = which % desk.item(name).version + 1
        restored = commit.restore(desk, name, number).item
        assert diff(desk, name, number, restored.version) == ""
        assert section_diff(desk, name, number, restored.version) == ()
        assert version(desk, name, restored.version).text == version(desk, name, number).text


@settings(max_examples=40)
@given(steps)
def test_asking_again_under_the_same_key_changes_nothing_and_answers_the_same(parts: Parts, todo: list[Step]) -> None:
    clock = SetClock()
    with opened(parts, clock) as engine:
        names: list[str] = []
        for number, step in enumerate(todo):
            clock.now += abs(step.wait)
            keyed = replace(step, key=f"key {number}", action="create" if step.action == "again" else step.action)
            held = list(names)
            first = done(engine.desk, held, keyed)
            assert first is not None
            if first.item.id not in names:
                names.append(first.item.id)
            before = log(engine.desk, names)
            clock.now += 1.0
            second = done(engine.desk, held, keyed)
            assert second is not None and second.replayed
            assert (second.commit, second.item.id) == (first.commit, first.item.id)
            assert log(engine.desk, names) == before


@settings(max_examples=30)
@given(steps)
def test_a_search_as_of_an_instant_finds_what_stood_then_as_it_was(parts: Parts, todo: list[Step]) -> None:
    clock = SetClock()
    clock.now = 1_700_000_000.0
    with opened(parts, clock) as engine:
        desk, names = engine.desk, list[str]()
        stood: dict[float, dict[str, str]] = {}
        for step in todo:
            clock.now += 1.0 + abs(step.wait)
            made = done(desk, names, replace(step, key=None))
            if made is not None and made.item.id not in names:
                names.append(made.item.id)
            active = desk.store.memories.find(desk.project, MemoryFilter())
            stood[clock.now] = {item.id: version(desk, item.id, item.version).text.strip() for item in active}
        for instant, expected in stood.items():
            for query in ("common", ""):
                found = recall(engine, RecallRequest(query, 50, as_of=when(instant)))
                assert {one.item: one.text.strip() for one in found.memories} == expected
