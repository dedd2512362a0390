"""The queue of writers: fair, and never stuck."""

from __future__ import annotations

import threading

import pytest

from recto.stores.shared.turns import Turns


def test_writers_get_their_turn_in_the_order_they_asked_for_it() -> None:
    turns, order, threads = Turns(), list[int](), list[threading.Thread]()

    def write(number: int) -> None:
        with turns.turn(60.0):
            order.append(number)

    with turns.turn(1.0):
        for number in range(8):
            threads.append(threading.Thread(target=write, args=(number,)))
            threads[-1].start()
            while len(turns._waiting) <= number:
                pass
    for thread in threads:
        thread.join()
    assert order == list(range(8))
    with turns.turn(0.0):
        pass


def test_only_one_writes_at_a_time() -> None:
    turns, inside, most = Turns(), list[int](), list[int]()

    def write(number: int) -> None:
        for _ in range(50):
            with turns.turn(60.0):
                inside.append(number)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(most), max(most)) == (300, 1)


def test_whoever_gives_up_waiting_holds_nobody_up() -> None:
    turns = Turns()
    with turns.turn(1.0):
        for _ in range(3):
            with pytest.raises(TimeoutError), turns.turn(0.001):
                raise AssertionError("no turn was free")
    with turns.turn(0.0):
        pass


def test_a_turn_ends_with_whatever_ended_it() -> None:
    turns = Turns()
    with pytest.raises(ValueError, match="no"), turns.turn(0.0):
        raise ValueError("no")
    with turns.turn(0.0):
        pass
