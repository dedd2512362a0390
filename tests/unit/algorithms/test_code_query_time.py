"""However long and odd a question about code is, reading it takes time in proportion to its length."""

from __future__ import annotations

import time

import pytest

from octavo.algorithms.queries.code_query_parsing import read_code_query

ODD = (
    "aB",
    "a.B",
    "A",
    "_",
    "{",
    "`",
    "[a",
    "<",
    "'",
    "a::",
    "aB: ",
    r"\w+(",
    "(a|",
    "x/y.py:",
    "0x",
    ".*",
    "a/",
    "a.",
)


def seconds(text: str) -> float:
    started = time.thread_time()
    read_code_query.__wrapped__(text) if hasattr(read_code_query, "__wrapped__") else read_code_query(text)
    return time.thread_time() - started


@pytest.mark.parametrize("piece", ODD)
def test_reading_a_question_four_times_as_long_takes_about_four_times_as_long(piece: str) -> None:
    short, long = (piece * (size // len(piece)) for size in (2_500, 10_000))
    baseline = max(min(seconds(short) for _ in range(3)), 2e-4)
    # A quadratic reader takes sixteen times as long, a cubic one sixty-four; noise is allowed for.
    assert min(seconds(long) for _ in range(3)) < 12 * baseline
