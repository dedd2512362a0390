"""How a memory is named: what reads takes a part of its title, what changes what it says does not."""

from __future__ import annotations

import pytest

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, NotFound
from octavo.operations.memory.memory_reading_and_writing import forget, memory_commit, memory_diff, memory_history
from octavo.operations.memory.requests import (
    ForgetRequest,
    MemoryCommitRequest,
    MemoryDiffRequest,
    MemoryHistoryRequest,
)


def commit(engine: Engine, said: str) -> str:
    return memory_commit(engine, MemoryCommitRequest(text=said)).item


def test_history_and_diff_take_a_part_of_the_title_that_only_one_has(engine: Engine) -> None:
    key = commit(engine, "The Deploy Key is rotated every March")
    commit(engine, "The pump is blue")
    assert memory_history(engine, MemoryHistoryRequest("deploy key")).item == key
    assert memory_diff(engine, MemoryDiffRequest("deploy KEY")).item == key


def test_a_whole_title_goes_before_a_part_of_others(engine: Engine) -> None:
    exact = commit(engine, "deploy key")
    commit(engine, "The deploy key is rotated every March")
    assert memory_history(engine, MemoryHistoryRequest("deploy key")).item == exact


def test_a_part_that_several_have_is_refused_with_their_names(engine: Engine) -> None:
    names = [commit(engine, f"The deploy key of {where} is rotated") for where in ("the shop", "the mill")]
    with pytest.raises(InvalidArgument, match="2 memories have deploy key in their title") as caught:
        memory_history(engine, MemoryHistoryRequest("deploy key"))
    assert all(f"{name} (The deploy key of" in str(caught.value.hint) for name in names)


def test_what_changes_a_memory_takes_no_part_of_a_title(engine: Engine) -> None:
    key = commit(engine, "The deploy key is rotated every March")
    with pytest.raises(NotFound, match="there is no memory deploy key") as caught:
        memory_commit(engine, MemoryCommitRequest(text="Never.", item="deploy key"))
    assert caught.value.hint == f"give the id: {key} (The deploy key is rotated every March)"


def test_forgetting_takes_a_part_that_only_one_has_for_it_can_be_taken_back(engine: Engine) -> None:
    keys = [commit(engine, f"The deploy key of {where} is rotated") for where in ("the shop", "the mill")]
    with pytest.raises(InvalidArgument, match="2 memories have deploy key in their title"):
        forget(engine, ForgetRequest("deploy key"))
    assert forget(engine, ForgetRequest("of the mill")).item == keys[1]
    assert forget(engine, ForgetRequest("deploy key")).item == keys[0]
