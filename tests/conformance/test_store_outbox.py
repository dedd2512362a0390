"""What every store promises of jobs: one worker at a time, none lost, none tried for ever."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from set_clock import SetClock

from octavo.model.ids import project_id
from octavo.model.job import Job, JobKind, JobState
from octavo.sql_repositories.store import Store

MINE, THEIRS = project_id("mine"), project_id("theirs")


@pytest.fixture(autouse=True)
def projects(store: Store) -> None:
    with store.transaction():
        store.catalog.ensure_project("mine")
        store.catalog.ensure_project("theirs")


def enqueue(store: Store, subject: str = "s", **payload: Any) -> int:
    with store.transaction():
        return store.outbox.enqueue(MINE, JobKind.EMBED, subject, payload)


def claim(store: Store, worker: str = "w", limit: int = 10, lease: float = 60.0, attempts: int = 3) -> tuple[Job, ...]:
    with store.transaction():
        return store.outbox.claim(MINE, worker, lease_seconds=lease, limit=limit, max_attempts=attempts)


def fail(store: Store, job: Job, retry_after: float | None, error: str = "no") -> bool:
    with store.transaction():
        return store.outbox.fail(job, error, retry_after)


def finish(store: Store, job: Job) -> bool:
    with store.transaction():
        return store.outbox.finish(job)


def test_a_job_is_claimed_with_what_was_promised(store: Store, clock: SetClock) -> None:
    number = enqueue(store, "s", item="é")
    assert store.outbox.due(MINE) == 1
    (job,) = claim(store)
    assert job == Job(
        id=job.id,
        project_id=MINE,
        kind=JobKind.EMBED,
        subject="s",
        payload={"item": "é"},
        state=JobState.LEASED,
        attempts=1,
        created_at=clock.now,
        run_after=clock.now,
        locked_by="w",
        lease_expires_at=clock.now + 60.0,
    )
    assert job.id == number
    assert store.outbox.jobs(MINE) == (job,)


def test_a_claimed_job_is_not_claimed_again_while_its_lease_lasts(store: Store, clock: SetClock) -> None:
    enqueue(store)
    claim(store)
    clock.now += 59.0
    assert claim(store, "other") == ()
    assert store.outbox.due(MINE) == 0


def test_a_job_whose_lease_ran_out_goes_to_the_next_worker_and_the_first_can_tell(
    store: Store, clock: SetClock
) -> None:
    enqueue(store)
    (first,) = claim(store)
    clock.now += 60.0
    (second,) = claim(store, "other")
    assert (second.id, second.attempts, second.locked_by) == (first.id, 2, "other")
    with store.transaction():
        assert not store.outbox.renew(first, 60.0)
    assert not finish(store, first)
    assert not fail(store, first, clock.now)
    assert finish(store, second)
    assert [job.state for job in store.outbox.jobs(MINE)] == [JobState.DONE]


def test_a_worker_that_claims_its_own_lapsed_job_again_is_not_mistaken_for_its_earlier_self(
    store: Store, clock: SetClock
) -> None:
    enqueue(store)
    (first,) = claim(store)
    clock.now += 60.0
    (second,) = claim(store)
    assert not finish(store, first)
    assert finish(store, second)


def test_a_lease_that_ran_out_unnoticed_still_finishes(store: Store, clock: SetClock) -> None:
    enqueue(store)
    (job,) = claim(store)
    clock.now += 600.0
    assert finish(store, job)


def test_the_lease_of_a_worker_that_is_gone_ends_now_and_its_job_goes_to_the_next(store: Store) -> None:
    for subject in "abc":
        enqueue(store, subject)
        claim(store, "gone" if subject < "c" else "here", limit=1)
    assert sorted(store.outbox.holders(MINE)) == ["gone", "here"] and store.outbox.holders(THEIRS) == ()
    with store.transaction():
        store.outbox.expire(MINE, ["gone"])
    assert store.outbox.holders(MINE) == ("here",)
    assert [(job.subject, job.attempts, job.locked_by) for job in claim(store, "next")] == [
        ("a", 2, "next"),
        ("b", 2, "next"),
    ]


def test_a_renewed_lease_lasts_longer(store: Store, clock: SetClock) -> None:
    enqueue(store)
    (job,) = claim(store)
    clock.now += 50.0
    with store.transaction():
        assert store.outbox.renew(job, 60.0)
    clock.now += 50.0
    assert claim(store, "other") == ()
    assert finish(store, job)


def test_a_clock_set_back_gives_no_job_to_two_workers(store: Store, clock: SetClock) -> None:
    enqueue(store)
    (job,) = claim(store)
    clock.now -= 500.0
    assert claim(store, "other") == ()
    assert finish(store, job)


def test_a_failed_job_waits_until_it_may_be_tried_again(store: Store, clock: SetClock) -> None:
    enqueue(store)
    (job,) = claim(store)
    assert fail(store, job, clock.now + 5.0)
    (waiting,) = store.outbox.jobs(MINE, [JobState.READY])
    assert (waiting.error, waiting.attempts, waiting.locked_by, waiting.lease_expires_at) == ("no", 1, "", None)
    assert claim(store) == ()
    clock.now += 5.0
    (again,) = claim(store)
    assert again.attempts == 2


def test_a_dead_job_is_not_claimed_until_somebody_retries_it(store: Store, clock: SetClock) -> None:
    number = enqueue(store)
    (job,) = claim(store)
    assert fail(store, job, None, "for good")
    clock.now += 1e6
    assert claim(store) == ()
    (dead,) = store.outbox.jobs(MINE, [JobState.DEAD])
    assert (dead.error, dead.finished_at) == ("for good", clock.now - 1e6)
    with store.transaction():
        assert store.outbox.retry(MINE, [job.id]) == 1
    (again,) = claim(store)
    assert (again.id, again.attempts) == (number, 1)


def test_a_job_that_kills_its_workers_is_dead_after_so_many(store: Store, clock: SetClock) -> None:
    enqueue(store)
    for _ in range(3):
        assert len(claim(store, attempts=3)) == 1
        clock.now += 60.0
    assert claim(store, attempts=3) == ()
    (dead,) = store.outbox.jobs(MINE)
    assert dead.state is JobState.DEAD
    assert "stopped" in dead.error


def test_a_waiting_job_stands_for_others_of_its_kind_and_subject(store: Store) -> None:
    first = enqueue(store, "s", n=1)
    assert enqueue(store, "s", n=2) == first
    assert enqueue(store, "t") != first
    assert len(store.outbox.jobs(MINE)) == 2


def test_a_job_that_is_running_does_not_stand_for_what_is_promised_meanwhile(store: Store) -> None:
    first = enqueue(store)
    claim(store)
    assert enqueue(store) != first


def test_jobs_are_claimed_oldest_first_and_no_more_than_asked_for(store: Store, clock: SetClock) -> None:
    numbers = []
    for subject in "abc":
        numbers.append(enqueue(store, subject))
        clock.now += 1.0
    assert [job.id for job in claim(store, limit=2)] == numbers[:2]
    assert [job.id for job in claim(store, limit=2)] == numbers[2:]


def test_jobs_belong_to_their_project(store: Store) -> None:
    enqueue(store)
    assert store.outbox.jobs(THEIRS) == ()
    assert store.outbox.due(THEIRS) == 0
    (mine,) = store.outbox.jobs(MINE)
    with store.transaction():
        assert store.outbox.claim(THEIRS, "w", lease_seconds=1.0, limit=9, max_attempts=9) == ()
        assert store.outbox.retry(THEIRS, [mine.id]) == 0
        assert store.outbox.purge(THEIRS, list(JobState), 1e12) == 0


def test_only_what_has_ended_long_enough_ago_is_purged(store: Store, clock: SetClock) -> None:
    enqueue(store, "done")
    (done,) = claim(store)
    finish(store, done)
    enqueue(store, "ready")
    with store.transaction():
        assert store.outbox.purge(MINE, [JobState.DONE, JobState.READY], clock.now) == 0
        assert store.outbox.purge(MINE, [JobState.DEAD], clock.now + 1.0) == 0
        assert store.outbox.purge(MINE, [JobState.DONE, JobState.READY], clock.now + 1.0) == 1
    assert [job.subject for job in store.outbox.jobs(MINE)] == ["ready"]


def test_what_was_rolled_back_was_not_promised(store: Store) -> None:
    with pytest.raises(RuntimeError), store.transaction():
        store.outbox.enqueue(MINE, JobKind.EMBED, "s", {})
        raise RuntimeError
    assert store.outbox.jobs(MINE) == ()


def test_a_job_that_is_not_there_is_held_by_nobody(store: Store) -> None:
    enqueue(store)
    (job,) = claim(store)
    gone = replace(job, id=type(job.id)(job.id + 100))
    assert not finish(store, gone)


def test_a_job_that_is_given_back_is_due_at_once_and_was_not_tried(store: Store, clock: SetClock) -> None:
    enqueue(store)
    for _ in range(5):
        (job,) = claim(store, attempts=3)
        assert job.attempts == 1
        with store.transaction():
            assert store.outbox.give_back(job)
            assert not store.outbox.give_back(job)
    assert [waiting.state for waiting in store.outbox.jobs(MINE)] == [JobState.READY]


def test_a_job_that_was_promised_before_the_clock_was_set_back_is_due(store: Store, clock: SetClock) -> None:
    clock.now += 86_400.0
    number = enqueue(store)
    clock.now -= 86_400.0
    assert store.outbox.due(MINE) == 1
    assert enqueue(store) == number
    assert [job.id for job in claim(store)] == [number]


def test_a_job_that_failed_before_the_clock_was_set_back_is_due(store: Store, clock: SetClock) -> None:
    clock.now += 86_400.0
    number = enqueue(store)
    (job,) = claim(store)
    fail(store, job, clock.now + 60.0)
    assert claim(store) == ()
    clock.now -= 86_400.0
    assert store.outbox.due(MINE) == 1
    assert [found.id for found in claim(store)] == [number]


def test_a_job_that_failed_waits_although_it_is_promised_again(store: Store, clock: SetClock) -> None:
    enqueue(store)
    (job,) = claim(store)
    fail(store, job, clock.now + 60.0)
    enqueue(store)
    assert claim(store) == ()
    clock.now += 60.0
    assert len(claim(store)) == 1


def test_a_failed_job_of_a_clock_that_was_ahead_waits_an_hour_at_most(store: Store, clock: SetClock) -> None:
    enqueue(store)
    (job,) = claim(store)
    fail(store, job, clock.now + 86_400.0)
    enqueue(store)
    clock.now += 3_600.0
    assert len(claim(store)) == 1
