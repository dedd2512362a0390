"""The fair lock of writers: first come, first served, and never stuck."""

from __future__ import annotations

import threading

import pytest

from octavo.sql_repositories.fair_lock import FairLock


def test_threads_get_the_lock_in_the_order_they_asked_for_it() -> None:
    lock, order, threads = FairLock(), list[int](), list[threading.Thread]()

    def write(number: int) -> None:
        with lock.acquired(60.0):
            order.append(number)

    with lock.acquired(1.0):
        for number in range(8):
            threads.append(threading.Thread(target=write, args=(number,)))
            threads[-1].start()
            while len(lock.waiting) <= number:
                pass
    for thread in threads:
        thread.join()
    assert order == list(range(8))
    with lock.acquired(0.0):
        pass


def test_only_one_thread_has_the_lock_at_a_time() -> None:
    lock, inside, most = FairLock(), list[int](), list[int]()

    def write(number: int) -> None:
        for _ in range(50):
            with lock.acquired(60.0):
                inside.append(number)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(most), max(most)) == (300, 1)


def test_a_thread_that_times_out_does_not_block_the_others() -> None:
    lock = FairLock()
    with lock.acquired(1.0):
        for _ in range(3):
            with pytest.raises(TimeoutError), lock.acquired(0.001):
                raise AssertionError("the lock was free")
    with lock.acquired(0.0):
        pass


def test_an_exception_releases_the_lock() -> None:
    lock = FairLock()
    with pytest.raises(ValueError, match="no"), lock.acquired(0.0):
        raise ValueError("no")
    with lock.acquired(0.0):
        pass
