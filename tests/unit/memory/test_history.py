"""Memories through time."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from engines import engine_over, wired
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples
from set_clock import SetClock

from octavo.engine.open_project_library import OpenLibrary
from octavo.errors import NotFound
from octavo.memory import memory_changes
from octavo.memory.draft import MemoryDraft
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.version_diffs import diff
from octavo.memory.version_history import as_of, history, version
from octavo.model.memory import MemoryStatus
from octavo.stores.sqlite.store import SqliteStore

FIRST = "# Plan\n\nShip on Monday.\n\nTell everyone.\n"
SECOND = "# Plan\n\nShip on Tuesday.\n\nTell everyone.\n"


def test_a_diff_says_what_changed_and_nothing_when_nothing_did(memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, MemoryDraft(FIRST)).item
    memory_changes.revise(memories, item.id, MemoryDraft(SECOND))
    assert diff(memories, item.id, 1, 2) == (
        f"--- {item.id} v1\n+++ {item.id} v2\n@@ -1,5 +1,5 @@\n # Plan\n \n"
        "-Ship on Monday.\n+Ship on Tuesday.\n \n Tell everyone.\n"
    )
    memory_changes.restore(memories, item.id, 1)
    assert diff(memories, item.id, 1, 3) == ""
    with pytest.raises(NotFound, match="no version 7"):
        diff(memories, item.id, 1, 7)


def test_a_version_is_read_exactly_and_says_what_took_its_place(memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, MemoryDraft(FIRST)).item
    memory_changes.revise(memories, item.id, MemoryDraft(SECOND))
    first, second = version(memories, item.id, 1), version(memories, item.id, 2)
    assert (first.text, first.superseded_by) == (FIRST, 2)
    assert (second.text, second.superseded_by, second.version.supersedes) == (SECOND, None, 1)


def test_history_lists_versions_and_changes_in_order(memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, MemoryDraft(FIRST)).item
    memory_changes.pin(memories, item.id)
    item = memory_changes.revise(memories, item.id, MemoryDraft(SECOND)).item
    told = history(memories, item)
    assert [version.number for version in told.versions] == [1, 2]
    assert [(commit.action.value, commit.version, commit.pinned) for commit in told.commits] == [
        ("created", 1, False),
        ("pinned", 1, True),
        ("revised", 2, True),
    ]


def test_an_item_was_not_there_before_it_was_committed(memories: ProjectMemories, clock: SetClock) -> None:
    item = memory_changes.create(memories, MemoryDraft(FIRST)).item
    with pytest.raises(NotFound, match="did not exist yet"):
        as_of(memories, item, clock.now - 1)
    assert as_of(memories, item, clock.now).shown.text == FIRST
    assert as_of(memories, item).shown.text == FIRST


@pytest.fixture(scope="module")
def like(tmp_path_factory: pytest.TempPathFactory) -> OpenLibrary:
    return wired(tmp_path_factory.mktemp("library"))


@dataclass(frozen=True, slots=True)
class Step:
    action: str
    wait: float
    text: str

    def apply(self, memories: ProjectMemories, item: str) -> None:
        name = memories.item(item).id
        match self.action:
            case "revise":
                memory_changes.revise(memories, name, MemoryDraft(self.text))
            case "restore":
                memory_changes.restore(memories, name, 1)
            case "archive":
                memory_changes.archive(memories, name)
            case "pin":
                memory_changes.pin(memories, name)
            case _:
                memory_changes.pin(memories, name, pinned=False)


steps = st.builds(
    Step,
    action=st.sampled_from(["revise", "restore", "archive", "pin", "unpin"]),
    wait=st.sampled_from([0.0, 1.0, 2.5, -3.0]),
    text=st.sampled_from(["one\n", "two\n", "three\n"]),
)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(steps, max_size=8))
def test_an_instant_shows_what_replaying_the_commits_up_to_it_gives(like: OpenLibrary, todo: list[Step]) -> None:
    clock = SetClock()
    with engine_over(SqliteStore.in_memory(clock), like, clock) as engine:
        memories = engine.memories
        name = memory_changes.create(memories, MemoryDraft("zero\n")).item.id
        seen = [(clock.now, _state(memories, name))]
        for step in todo:
            clock.now += step.wait
            step.apply(memories, name)
            item = memories.item(name)
            seen.append((item.updated_at, _state(memories, name)))
        for instant in sorted({at + offset for at, _ in seen for offset in (0.0, 0.5)}):
            expected = [state for at, state in seen if at <= instant][-1]
            moment = as_of(memories, memories.item(name), instant)
            assert (moment.shown.text, moment.status, moment.pinned) == expected
        versions = memories.repository.versions(memories.project, name)
        assert [version.number for version in versions] == list(range(1, len(versions) + 1))


def _state(memories: ProjectMemories, name: str) -> tuple[str, MemoryStatus, bool]:
    item = memories.item(name)
    return version(memories, item.id, item.version).text, item.status, item.pinned
