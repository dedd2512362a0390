"""What holds of memories whatever is done to them, in whatever order, however often it is asked for again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from engines import engine_over, wired
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples
from set_clock import SetClock

from octavo.engine.engine import Engine
from octavo.engine.open_project_library import OpenLibrary
from octavo.errors import Conflict
from octavo.memory import memory_changes
from octavo.memory.draft import MemoryDraft, Provenance
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.version_diffs import diff, section_diff
from octavo.memory.version_history import history, version
from octavo.model.memory import MemoryFilter
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import RecallRequest
from octavo.operations.memory.results import when
from octavo.stores.sqlite.store import SqliteStore

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
def like(tmp_path_factory: pytest.TempPathFactory) -> OpenLibrary:
    return wired(tmp_path_factory.mktemp("library"))


def opened(like: OpenLibrary, clock: SetClock) -> Engine:
    return engine_over(SqliteStore.in_memory(clock), like, clock)


def done(memories: ProjectMemories, names: list[str], step: Step) -> memory_changes.Committed | None:
    """Applies a step to one of the items there are; None where it cannot apply."""
    by = Provenance(author="a", key=step.key)
    if step.action == "create" or not names:
        return memory_changes.create(memories, MemoryDraft(step.text), by)
    name = memories.item(names[step.item % len(names)]).id
    match step.action:
        case "revise":
            return memory_changes.revise(memories, name, MemoryDraft(step.text), by)
        case "restore":
            return memory_changes.restore(memories, name, 1, by)
        case "archive":
            return memory_changes.archive(memories, name, by)
        case "pin" | "unpin":
            return memory_changes.pin(memories, name, by, pinned=step.action == "pin")
    return None


def log(memories: ProjectMemories, names: list[str]) -> dict[str, tuple[tuple[object, ...], tuple[object, ...]]]:
    told = {name: history(memories, memories.item(name)) for name in names}
    return {name: (one.versions, one.commits) for name, one in told.items()}


@settings(max_examples=examples(60))
@given(steps)
def test_history_is_only_ever_added_to(like: OpenLibrary, todo: list[Step]) -> None:
    clock = SetClock()
    with opened(like, clock) as engine:
        names: list[str] = []
        before = log(engine.memories, names)
        for step in todo:
            clock.now += step.wait
            try:
                made = done(engine.memories, names, step)
            except Conflict:
                made = None  # a key that was used for something else
            if made is not None and made.item.id not in names:
                names.append(made.item.id)
            after = log(engine.memories, names)
            for name, (versions, commits) in before.items():
                assert after[name][0][: len(versions)] == versions
                assert after[name][1][: len(commits)] == commits
            before = after


@settings(max_examples=examples(40))
@given(steps, st.integers(0, 9))
def test_restoring_a_version_leaves_no_difference_to_it(like: OpenLibrary, todo: list[Step], which: int) -> None:
    clock = SetClock()
    with opened(like, clock) as engine:
        memories = engine.memories
        name = memory_changes.create(memories, MemoryDraft("zero common")).item.id
        for step in todo:
            clock.now += abs(step.wait)
            memory_changes.revise(memories, name, MemoryDraft(step.text))
        number = which % memories.item(name).version + 1
        restored = memory_changes.restore(memories, name, number).item
        assert diff(memories, name, number, restored.version) == ""
        assert section_diff(memories, name, number, restored.version) == ()
        assert version(memories, name, restored.version).text == version(memories, name, number).text


@settings(max_examples=examples(40))
@given(steps)
def test_asking_again_under_the_same_key_changes_nothing_and_answers_the_same(
    like: OpenLibrary, todo: list[Step]
) -> None:
    clock = SetClock()
    with opened(like, clock) as engine:
        names: list[str] = []
        for number, step in enumerate(todo):
            clock.now += abs(step.wait)
            keyed = replace(step, key=f"key {number}", action="create" if step.action == "again" else step.action)
            held = list(names)
            first = done(engine.memories, held, keyed)
            assert first is not None
            if first.item.id not in names:
                names.append(first.item.id)
            before = log(engine.memories, names)
            clock.now += 1.0
            second = done(engine.memories, held, keyed)
            assert second is not None and second.replayed
            assert (second.commit, second.item.id) == (first.commit, first.item.id)
            assert log(engine.memories, names) == before


@settings(max_examples=examples(30))
@given(steps)
def test_a_search_as_of_an_instant_finds_what_stood_then_as_it_was(like: OpenLibrary, todo: list[Step]) -> None:
    clock = SetClock()
    clock.now = 1_700_000_000.0
    with opened(like, clock) as engine:
        memories, names = engine.memories, list[str]()
        stood: dict[float, dict[str, str]] = {}
        for step in todo:
            clock.now += 1.0 + abs(step.wait)
            made = done(memories, names, replace(step, key=None))
            if made is not None and made.item.id not in names:
                names.append(made.item.id)
            active = memories.repository.find(memories.project, MemoryFilter())
            stood[clock.now] = {item.id: version(memories, item.id, item.version).text.strip() for item in active}
        for instant, expected in stood.items():
            for query in ("common", ""):
                found = recall(engine, RecallRequest(query, 50, as_of=when(instant)))
                assert {memory.item: memory.text.strip() for memory in found.memories} == expected
