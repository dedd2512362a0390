"""Memories through time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.config.schema import Config, Embedding
from recto.engine.engine import Engine
from recto.engine.parts import Parts
from recto.engine.wiring import open_engine
from recto.errors import NotFound
from recto.memory import commit
from recto.memory.desk import Desk
from recto.memory.diffs import diff
from recto.memory.draft import Draft
from recto.memory.history import as_of, history, version
from recto.model.memory import MemoryStatus
from recto.testing.clock import SetClock
from recto.testing.memory_store import MemoryStore

FIRST = "# Plan\n\nShip on Monday.\n\nTell everyone.\n"
SECOND = "# Plan\n\nShip on Tuesday.\n\nTell everyone.\n"


def test_a_diff_says_what_changed_and_nothing_when_nothing_did(desk: Desk) -> None:
    item = commit.create(desk, Draft(FIRST)).item
    commit.revise(desk, item.id, Draft(SECOND))
    assert diff(desk, item.id, 1, 2) == (
        f"--- {item.id} v1\n+++ {item.id} v2\n@@ -1,5 +1,5 @@\n # Plan\n \n"
        "-Ship on Monday.\n+Ship on Tuesday.\n \n Tell everyone.\n"
    )
    commit.restore(desk, item.id, 1)
    assert diff(desk, item.id, 1, 3) == ""
    with pytest.raises(NotFound, match="no version 7"):
        diff(desk, item.id, 1, 7)


def test_a_version_is_read_exactly_and_says_what_took_its_place(desk: Desk) -> None:
    item = commit.create(desk, Draft(FIRST)).item
    commit.revise(desk, item.id, Draft(SECOND))
    first, second = version(desk, item.id, 1), version(desk, item.id, 2)
    assert (first.text, first.superseded_by) == (FIRST, 2)
    assert (second.text, second.superseded_by, second.version.supersedes) == (SECOND, None, 1)


def test_history_lists_versions_and_changes_in_order(desk: Desk) -> None:
    item = commit.create(desk, Draft(FIRST)).item
    commit.pin(desk, item.id)
    item = commit.revise(desk, item.id, Draft(SECOND)).item
    told = history(desk, item)
    assert [one.number for one in told.versions] == [1, 2]
    assert [(one.action.value, one.version, one.pinned) for one in told.commits] == [
        ("created", 1, False),
        ("pinned", 1, True),
        ("revised", 2, True),
    ]


def test_an_item_was_not_there_before_it_was_committed(desk: Desk, clock: SetClock) -> None:
    item = commit.create(desk, Draft(FIRST)).item
    with pytest.raises(NotFound, match="not there yet"):
        as_of(desk, item, clock.now - 1)
    assert as_of(desk, item, clock.now).shown.text == FIRST
    assert as_of(desk, item).shown.text == FIRST


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    config = Config(library=tmp_path_factory.mktemp("library") / "l.db", embedding=Embedding(provider="hashing"))
    with open_engine(config, create=True) as engine:
        return engine._parts


@dataclass(frozen=True, slots=True)
class Step:
    action: str
    wait: float
    text: str

    def apply(self, desk: Desk, item: str) -> None:
        name = desk.item(item).id
        match self.action:
            case "revise":
                commit.revise(desk, name, Draft(self.text))
            case "restore":
                commit.restore(desk, name, 1)
            case "archive":
                commit.archive(desk, name)
            case "pin":
                commit.pin(desk, name)
            case _:
                commit.pin(desk, name, pinned=False)


steps = st.builds(
    Step,
    action=st.sampled_from(["revise", "restore", "archive", "pin", "unpin"]),
    wait=st.sampled_from([0.0, 1.0, 2.5, -3.0]),
    text=st.sampled_from(["one\n", "two\n", "three\n"]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(steps, max_size=8))
def test_an_instant_shows_what_replaying_the_commits_up_to_it_gives(parts: Parts, todo: list[Step]) -> None:
    clock = SetClock()
    with Engine(replace(parts, store=MemoryStore(clock=clock), clock=clock), "sample") as engine:
        desk = engine.desk
        name = commit.create(desk, Draft("zero\n")).item.id
        seen = [(clock.now, _state(desk, name))]
        for step in todo:
            clock.now += step.wait
            step.apply(desk, name)
            item = desk.item(name)
            seen.append((item.updated_at, _state(desk, name)))
        for instant in sorted({at + offset for at, _ in seen for offset in (0.0, 0.5)}):
            expected = [state for at, state in seen if at <= instant][-1]
            moment = as_of(desk, desk.item(name), instant)
            assert (moment.shown.text, moment.status, moment.pinned) == expected
        versions = desk.store.memories.versions(desk.project, name)
        assert [one.number for one in versions] == list(range(1, len(versions) + 1))


def _state(desk: Desk, name: str) -> tuple[str, MemoryStatus, bool]:
    item = desk.item(name)
    return version(desk, item.id, item.version).text, item.status, item.pinned
