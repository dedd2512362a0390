"""Searches go on while snapshots are built, switched and removed under them."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from snapshot_samples import Bench

from octavo.model.query import Filters, Terms
from octavo.search_snapshots.folder import SnapshotFolder

APPLE = Terms("apple", words=("apple",))


def test_every_search_during_many_switches_sees_everything_that_was_written_before_it(tmp_path: Path) -> None:
    with Bench(tmp_path) as bench:
        bench.put("a/one.md", "apple")
        bench.embed(10)
        bench.publish()
        over, trouble, searches = threading.Event(), list[str](), [0]

        def search() -> None:
            while not over.is_set():
                with bench.store.reading():
                    wanted = bench.store.lexical.search(bench.project, APPLE, Filters(), 100)
                    found = bench.lexical.search(bench.project, APPLE, Filters(), 100)
                searches[0] += 1
                # A state that was refreshed by another thread may already know more than this thread's reading.
                if not {one.key for one in wanted} <= {one.key for one in found}:
                    trouble.append(f"{wanted} is not in {found}")

        threads = [threading.Thread(target=search) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(12):
            bench.put(f"a/{number}.md", "apple", f"fig {number}")
            bench.embed(10)
            bench.publish()
        over.set()
        for thread in threads:
            thread.join()
        assert not trouble
        assert searches[0] > 0
        assert len(bench.folder.ids()) == 3


def test_switching_takes_one_rename(tmp_path: Path) -> None:
    with Bench(tmp_path) as bench:
        bench.put("a/one.md", "apple")
        first = bench.publish()
        bench.put("a/two.md", "apple")
        second = bench.publish()
        folder = SnapshotFolder(bench.folder.root)
        before = folder.stamp()
        started = time.thread_time()
        folder.switch(first.id)
        assert time.thread_time() - started < 0.05
        assert folder.stamp() != before
        assert folder.current_id() == first.id
        folder.switch(second.id)
        assert folder.current_id() == second.id
