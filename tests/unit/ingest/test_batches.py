"""How a run changes the process it runs in, and how it leaves it."""

from __future__ import annotations

import gc
from contextlib import ExitStack

from recto.ingest.batches import seldom_collecting


def test_garbage_is_looked_for_as_often_as_before_once_runs_that_overlapped_have_ended() -> None:
    before = gc.get_threshold()
    with ExitStack() as first, ExitStack() as second:
        first.enter_context(seldom_collecting())
        second.enter_context(seldom_collecting())
        assert gc.get_threshold() > before
        first.close()
    assert gc.get_threshold() == before
