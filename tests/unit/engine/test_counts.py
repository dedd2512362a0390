"""A search is told how fresh the library is without waiting for a large one to be counted."""

from __future__ import annotations

import threading
import time

from octavo.engine.search import index_freshness
from octavo.engine.search.index_freshness import Counts
from octavo.errors import LibraryError
from octavo.model.search_result import Freshness


def fresh(pending: int) -> Freshness:
    return Freshness(documents=1, pending=pending, failed=0, full_vectors=1.0)


def busy(seconds: float) -> None:
    started = time.thread_time()
    while time.thread_time() - started < seconds:
        pass


def test_a_small_library_is_counted_at_once_and_only_when_it_changed() -> None:
    generation, asked = [1], [0]

    def count() -> Freshness:
        asked[0] += 1
        return fresh(asked[0])

    counts = Counts(count, lambda: generation[0])
    assert [counts.now().pending for _ in range(3)] == [1, 1, 1]
    generation[0] = 2
    assert [counts.now().pending for _ in range(3)] == [2, 2, 2]
    counts.stop()


def test_a_large_library_is_counted_beside_the_search_that_noticed_a_change() -> None:
    generation, asked, may_end = [1], [0], threading.Event()

    def count() -> Freshness:
        asked[0] += 1
        busy(index_freshness.COUNTED_AT_ONCE * 1.2)
        if asked[0] > 1:
            assert may_end.wait(30)
        return fresh(asked[0])

    counts = Counts(count, lambda: generation[0])
    assert counts.now().pending == 1
    generation[0] = 2
    counts.not_before = 0.0  # long after the last count
    assert [counts.now().pending for _ in range(3)] == [1, 1, 1]
    may_end.set()
    counts.stop()
    assert counts.now().pending == 2
    assert asked[0] == 2


def test_a_count_that_fails_beside_a_search_leaves_the_last_one() -> None:
    generation, asked = [1], [0]

    def count() -> Freshness:
        asked[0] += 1
        if asked[0] > 1:
            raise LibraryError("gone")
        busy(index_freshness.COUNTED_AT_ONCE * 1.2)
        return fresh(1)

    counts = Counts(count, lambda: generation[0])
    counts.now()
    generation[0], counts.not_before = 2, 0.0
    assert counts.now().pending == 1
    counts.stop()
    assert counts.now().pending == 1
    counts.stop()
