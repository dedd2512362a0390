"""What every store promises of leases: one holder at a time, none for ever, and no trace in what the library holds."""

from __future__ import annotations

import pytest
from set_clock import SetClock

from octavo.model.ids import project_id
from octavo.model.job import Lease
from octavo.sql_repositories.store import Store

MINE, THEIRS = project_id("mine"), project_id("theirs")


@pytest.fixture(autouse=True)
def projects(store: Store) -> None:
    with store.transaction():
        store.catalog.ensure_project("mine")
        store.catalog.ensure_project("theirs")


def take(store: Store, holder: str = "a", **more: str) -> Lease:
    return store.leases.take(MINE, "index", holder, 10.0, {"scope": "é"}, **more)


def test_a_lease_is_taken_by_the_first_and_shown_to_the_second(store: Store, clock: SetClock) -> None:
    generation = store.generation()
    taken = take(store)
    assert taken == Lease(MINE, "index", "a", clock.now, clock.now + 10.0, {"scope": "é"})
    assert take(store, "b") == taken == store.leases.current(MINE, "index")
    assert store.generation() == generation


def test_a_lease_that_ran_out_is_taken_by_the_next_and_the_first_can_tell(store: Store, clock: SetClock) -> None:
    first = take(store)
    clock.now += 10.0
    assert store.leases.current(MINE, "index") is None
    second = take(store, "b")
    assert second.holder == "b"
    assert not store.leases.renew(first, 10.0, {})
    assert not store.leases.release(first)
    assert store.leases.current(MINE, "index") == second


def test_a_renewed_lease_lasts_longer_and_says_how_far_its_holder_is(store: Store, clock: SetClock) -> None:
    lease = take(store)
    clock.now += 9.0
    assert store.leases.renew(lease, 10.0, {"done": 3})
    clock.now += 9.0
    held = store.leases.current(MINE, "index")
    assert held is not None
    assert (held.holder, held.taken_at, held.detail) == ("a", lease.taken_at, {"done": 3})


def test_a_lease_that_ran_out_and_was_taken_by_nobody_can_be_renewed(store: Store, clock: SetClock) -> None:
    lease = take(store)
    clock.now += 60.0
    assert store.leases.renew(lease, 10.0, {})
    assert store.leases.current(MINE, "index") is not None


def test_the_lease_of_a_holder_known_to_be_gone_is_not_waited_for(store: Store) -> None:
    take(store)
    assert take(store, "b", over="somebody else").holder == "a"
    assert take(store, "b", over="a").holder == "b"


def test_a_released_lease_is_free_at_once(store: Store) -> None:
    assert store.leases.release(take(store))
    assert store.leases.current(MINE, "index") is None
    assert take(store, "b").holder == "b"


def test_leases_of_other_projects_and_names_are_apart(store: Store) -> None:
    take(store)
    assert store.leases.take(THEIRS, "index", "b", 10.0, {}).holder == "b"
    assert store.leases.take(MINE, "snapshot", "b", 10.0, {}).holder == "b"
