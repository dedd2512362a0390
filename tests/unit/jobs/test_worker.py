"""A worker: what it does with jobs that work, fail, hang, or are somebody else's by now."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines import engine_over, wired
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from observation import observed
from set_clock import SetClock

from octavo.config.schema import Chunking, Config, Embedding, Jobs
from octavo.embedding.hashing_embedder import HashingEmbedder
from octavo.engine.engine import Engine
from octavo.engine.open_project_library import OpenLibrary
from octavo.engine.wiring import open_engine
from octavo.errors import ProviderFailed
from octavo.jobs.lease_holder_process import holder_name
from octavo.jobs.worker import JobWorker, Round, delay
from octavo.memory import memory_changes
from octavo.memory.draft import MemoryDraft
from octavo.memory.memory_rechunking import reingest
from octavo.model.ids import project_id
from octavo.model.job import Job, JobKind, JobState
from octavo.operations.jobs.list_retry_and_run_jobs import jobs_purge, jobs_retry, work
from octavo.operations.jobs.requests import JobsPurgeRequest, JobsRetryRequest
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import RecallRequest
from octavo.sql_repositories.store import Store
from octavo.stores.sqlite.store import SqliteStore

PACE = Jobs()
MINE = project_id("sample")


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def store(clock: SetClock) -> Iterator[Store]:
    store = SqliteStore.in_memory(clock)
    with store.transaction():
        store.catalog.ensure_project("sample")
    yield store
    store.close()


@pytest.fixture(scope="module")
def like(tmp_path_factory: pytest.TempPathFactory) -> OpenLibrary:
    return wired(tmp_path_factory.mktemp("library"))


@pytest.fixture
def engine(like: OpenLibrary, store: Store, clock: SetClock) -> Engine:
    return engine_over(store, like, clock)


def promise(store: Store, subject: str = "s") -> None:
    with store.transaction():
        store.outbox.enqueue(MINE, JobKind.EMBED, subject, {})


def working(store: Store, clock: SetClock, handler: Callable[[Job], None], name: str = "w", **pace: Any) -> JobWorker:
    return JobWorker(store, MINE, name, {JobKind.EMBED: handler}, replace(PACE, **pace), clock)


def test_nothing_due_is_nothing_done_and_leaves_no_trace(store: Store, clock: SetClock) -> None:
    before = store.generation()
    assert working(store, clock, lambda job: None).run_due() == Round()
    assert store.generation() == before


def test_what_is_due_is_done_once(store: Store, clock: SetClock) -> None:
    seen: list[int] = []
    for subject in "abc":
        promise(store, subject)
    worker = working(store, clock, lambda job: seen.append(job.id), batch=2)
    assert worker.run_due() == Round(finished=2)
    assert worker.run(threading.Event(), until_idle=True) == Round(finished=1)
    assert len(seen) == len(set(seen)) == 3
    assert {job.state for job in store.outbox.jobs(MINE)} == {JobState.DONE}


def test_two_workers_do_one_job_once(store: Store, clock: SetClock) -> None:
    promise(store)
    seen: list[str] = []
    ready = threading.Barrier(2)

    def begin(name: str) -> None:
        ready.wait()
        working(store, clock, lambda job: seen.append(name), name).run_due()

    threads = [threading.Thread(target=begin, args=(name,)) for name in ("one", "other")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 1
    assert [job.state for job in store.outbox.jobs(MINE)] == [JobState.DONE]


def test_a_worker_that_hangs_past_its_lease_loses_the_job_to_another(store: Store, clock: SetClock) -> None:
    promise(store)
    others: list[Round] = []

    def hang(job: Job) -> None:
        clock.now += PACE.lease_seconds + 1
        others.append(working(store, clock, lambda job: None, "other").run_due())

    assert working(store, clock, hang).run_due() == Round(lost=1)
    assert others == [Round(finished=1)]
    (job,) = store.outbox.jobs(MINE)
    assert (job.state, job.attempts, job.error) == (JobState.DONE, 2, "")


def test_a_failure_after_the_lease_was_lost_does_not_undo_what_another_did(store: Store, clock: SetClock) -> None:
    promise(store)

    def hang(job: Job) -> None:
        clock.now += PACE.lease_seconds + 1
        working(store, clock, lambda job: None, "other").run_due()
        raise RuntimeError("late")

    assert working(store, clock, hang).run_due() == Round(lost=1)
    assert [(job.state, job.error) for job in store.outbox.jobs(MINE)] == [(JobState.DONE, "")]


def test_a_failing_job_waits_longer_each_time_and_is_given_up(store: Store, clock: SetClock) -> None:
    promise(store)

    def fail(job: Job) -> None:
        raise ProviderFailed("the provider said 429")

    worker = working(store, clock, fail, max_attempts=4)
    waits = []
    for _ in range(3):
        assert worker.run_due() == Round(failed=1)
        (job,) = store.outbox.jobs(MINE, [JobState.READY])
        waits.append(job.run_after - clock.now)
        assert worker.run_due() == Round()
        clock.now = job.run_after
    assert worker.run_due() == Round(dead=1)
    assert [round(wait / PACE.retry_seconds) >= 2**number / 2 for number, wait in enumerate(waits)] == [True] * 3
    (dead,) = store.outbox.jobs(MINE)
    assert (dead.state, dead.error, dead.attempts) == (JobState.DEAD, "the provider said 429", 4)


def test_a_lease_is_renewed_while_its_job_is_done(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    store = SqliteStore(path)
    with store.transaction():
        store.catalog.ensure_project("sample")
    promise(store)

    def wait(job: Job) -> None:
        while store.outbox.jobs(MINE)[0].lease_expires_at == job.lease_expires_at:
            pass

    pace = replace(PACE, lease_seconds=0.3)
    assert JobWorker(store, MINE, "w", {JobKind.EMBED: wait}, pace, lambda: 0.0).run_due() == Round(finished=1)
    store.close()


def test_a_stopped_worker_gives_back_what_it_has_not_begun(store: Store, clock: SetClock) -> None:
    stop = threading.Event()
    for subject in "abc":
        promise(store, subject)
    worker = working(store, clock, lambda job: stop.set())
    assert worker.run(stop) == Round(finished=1)
    states = [job.state for job in store.outbox.jobs(MINE)]
    assert states == [JobState.DONE, JobState.READY, JobState.READY]
    assert working(store, clock, lambda job: None, "other").run_due() == Round(finished=2)


def test_an_interrupted_worker_gives_back_the_job_it_was_at(store: Store, clock: SetClock) -> None:
    promise(store)

    def interrupt(job: Job) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        working(store, clock, interrupt).run_due()
    assert working(store, clock, lambda job: None, "other").run_due() == Round(finished=1)


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is known of processes there")
def test_the_job_of_a_killed_worker_is_done_at_once_and_that_of_another_machine_is_waited_for(
    store: Store, clock: SetClock
) -> None:
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    mine = holder_name("attic")
    for name in (mine.replace(f" {os.getpid()}@", f" {killed.pid}@"), "elsewhere/1/2 4711@1 attic", mine):
        promise(store, name)
        with store.transaction():
            store.outbox.claim(MINE, name, lease_seconds=60.0, limit=1, max_attempts=3)
    assert working(store, clock, lambda job: None).run_due() == Round(finished=1)
    states = [(job.state, job.attempts) for job in store.outbox.jobs(MINE)]
    assert states == [(JobState.DONE, 2), (JobState.LEASED, 1), (JobState.LEASED, 1)]


def test_work_gives_a_memory_its_vector(engine: Engine) -> None:
    memory_changes.create(engine.memories, MemoryDraft("The pump is in the cellar."))
    assert recall(engine, RecallRequest("pump")).pending == 1
    assert work(engine, Jobs()) == Round(finished=1)
    answer = recall(engine, RecallRequest("pump", profile="dense_only"))
    assert (len(answer.memories), answer.pending) == (1, 0)
    assert jobs_purge(engine, JobsPurgeRequest()).jobs == 1


class Faulty(HashingEmbedder):
    """A provider that gives what it was told to give."""

    def __init__(self, give: Callable[[int], Any]) -> None:
        super().__init__()
        self._give = give

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        given: NDArray[np.float32] = self._give(len(texts))
        return given


def _raise(message: str) -> Callable[[int], Any]:
    def give(count: int) -> Any:
        raise ProviderFailed(message)

    return give


FAULTS: dict[str, Callable[[int], Any]] = {
    "timeout": _raise("timed out after 30 s"),
    "rate limit": _raise("429"),
    "server error": _raise("500"),
    "wrong dimensions": lambda count: np.ones((count, 3), dtype=np.float32),
    "too few": lambda count: np.ones((count - 1, 64), dtype=np.float32),
    "not a number": lambda count: np.full((count, 64), np.nan, dtype=np.float32),
    "infinite": lambda count: np.full((count, 64), np.inf, dtype=np.float32),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_provider_at_fault_costs_no_memory_and_the_next_one_makes_good(engine: Engine, fault: str) -> None:
    library = engine.library
    faulty = engine_over(library.store, library, library.now, embedder=lambda: Faulty(FAULTS[fault]))
    memory_changes.create(faulty.memories, MemoryDraft("The pump is in the cellar."))
    assert work(faulty, Jobs(max_attempts=1)) == Round(dead=1)
    (job,) = engine.store.outbox.jobs(MINE)
    assert job.error
    assert len(recall(engine, RecallRequest("pump")).memories) == 1
    assert jobs_retry(engine, JobsRetryRequest()).jobs == 1
    assert work(engine, Jobs()) == Round(finished=1)
    assert recall(engine, RecallRequest("pump")).pending == 0


def test_doing_a_job_twice_leaves_what_doing_it_once_left(engine: Engine, clock: SetClock) -> None:
    for number in range(3):
        clock.now += 1.0
        memory_changes.create(engine.memories, MemoryDraft(f"# Fact {number}\n\nIt is {number} o'clock.", tags=("t",)))
    work(engine, Jobs())
    profile = [engine.embedder.profile]
    words = ("fact", "clock")
    before = observed(engine.store, profile, words=words)["sample"]
    with engine.store.transaction():
        engine.store.outbox.enqueue(MINE, JobKind.EMBED, "pending", {})
    work(engine, Jobs())
    assert reingest(engine.memories) == 0
    assert reingest(engine.memories, everything=True) == 3
    after = observed(engine.store, profile, words=words)["sample"]
    assert {name: after[name] for name in after if name != "jobs"} == {
        name: before[name] for name in before if name != "jobs"
    }


def test_memories_are_cut_again_when_the_recipe_changes(tmp_path: Path) -> None:
    hashing = Embedding(provider="hashing")
    config = Config(library=tmp_path / "l.db", embedding=hashing)
    long = "\n\n".join(f"Paragraph {number} says this and that about the pump." for number in range(60))
    with open_engine(config, create=True) as engine:
        memory_changes.create(engine.memories, MemoryDraft(long))
        work(engine, Jobs())
        before = engine.store.counts(engine.project.id).chunks
    smaller = Chunking(
        target_min_tokens=10, target_max_tokens=20, hard_max_tokens=30, overlap_tokens=0, min_preferred_tokens=5
    )
    with open_engine(Config(library=tmp_path / "l.db", embedding=hashing, chunking=smaller)) as engine:
        assert engine.memories.recipe.sizes.hard_max == 30
        assert work(engine, Jobs()) == Round()  # to look is no reason to cut anything
        engine.memories.ensure_collection()
        assert work(engine, Jobs()).finished == 2
        assert engine.store.counts(engine.project.id).chunks > before
        assert recall(engine, RecallRequest("pump")).pending == 0


@given(st.integers(1, 10_000), st.floats(0.001, 100), st.floats(0.001, 10_000), st.text(max_size=5))
def test_a_delay_is_bounded_and_always_the_same(attempt: int, first: float, longest: float, seed: str) -> None:
    waited = delay(attempt, first, longest, seed)
    whole = min(longest, first * 2.0 ** min(attempt - 1, 64))
    assert whole / 2 <= waited <= whole
    assert waited == delay(attempt, first, longest, seed)


def test_jobs_that_failed_together_do_not_come_back_together() -> None:
    assert len({delay(3, 5.0, 600.0, f"job {number}") for number in range(50)}) == 50
