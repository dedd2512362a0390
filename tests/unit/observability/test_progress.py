"""Progress: the speed shown is the recent one, and the time left follows from it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.observability.progress import NoProgress, Progress, Rate


def run(rate: Rate, speed: int, seconds: int, start: int = 0) -> Rate:
    for second in range(start + 1, start + seconds + 1):
        rate = rate.advance(speed, now=float(second))
    return rate


def test_nothing_is_claimed_before_time_has_passed() -> None:
    rate = Rate.begin(now=5.0)
    assert (rate.per_second, rate.seconds_left(100)) == (None, None)
    rate = rate.advance(10, now=5.0)
    assert (rate.done, rate.per_second, rate.seconds_left(100)) == (10, None, None)


def test_units_done_within_one_tick_count_when_the_clock_moves() -> None:
    rate = Rate.begin(now=0.0).advance(3, now=0.0).advance(4, now=0.0).advance(3, now=1.0)
    assert rate.per_second == pytest.approx(10)


def test_the_first_seconds_are_not_taken_for_slow_ones() -> None:
    assert run(Rate.begin(now=0.0), speed=20, seconds=1).per_second == pytest.approx(20)


def test_an_unknown_total_has_no_time_left() -> None:
    assert run(Rate.begin(now=0.0), speed=20, seconds=3).seconds_left(None) is None


def test_work_beyond_the_total_leaves_no_negative_time() -> None:
    assert run(Rate.begin(now=0.0), speed=20, seconds=3).seconds_left(10) == 0


def test_a_change_of_speed_shows_within_a_few_horizons() -> None:
    fast = run(Rate.begin(now=0.0, horizon=5.0), speed=100, seconds=60)
    slow = run(fast, speed=10, seconds=1, start=60).per_second
    settled = run(fast, speed=10, seconds=25, start=60).per_second
    assert slow is not None
    assert settled is not None
    assert 80 < slow < 100
    assert settled == pytest.approx(10, rel=0.1)


def test_a_stall_slows_the_rate_and_lengthens_the_time_left() -> None:
    rate = run(Rate.begin(now=0.0), speed=10, seconds=10)
    stalled = rate.advance(0, now=40.0)
    before, after = rate.seconds_left(1000), stalled.seconds_left(1000)
    assert before is not None
    assert after is not None
    assert after > before * 2


@given(st.lists(st.integers(1, 50), min_size=1, max_size=50), st.floats(1, 100), st.floats(0.1, 60))
def test_a_constant_speed_is_measured_exactly_however_it_is_sliced(
    slices: list[int], speed: float, horizon: float
) -> None:
    now = 0.0
    rate = Rate.begin(now, horizon)
    for units in slices:
        now += units / speed
        rate = rate.advance(units, now)
    assert rate.per_second == pytest.approx(speed, rel=1e-6)
    assert rate.done == sum(slices)


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(0, 1000)), max_size=50))
def test_the_rate_lies_between_the_slowest_and_the_fastest_slice(slices: list[tuple[float, int]]) -> None:
    now = 0.0
    rate = Rate.begin(now)
    speeds: list[float] = []
    pending = 0
    for seconds, units in slices:
        before, now = now, now + seconds
        rate = rate.advance(units, now)
        pending += units
        if now > before:
            speeds.append(pending / (now - before))
            pending = 0
    if rate.per_second is not None:
        assert min(speeds) * 0.999999 <= rate.per_second <= max(speeds) * 1.000001


def test_no_progress_fits_the_protocol() -> None:
    progress: Progress = NoProgress()
    progress.start("embedding", 10, "chunks")
    progress.advance()
    progress.advance(5, "a.md")
    progress.finish()
