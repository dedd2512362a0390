"""Waiting for what another thread, process or server does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PATIENCE = 120.0  # seconds; a busy machine is slow, and nothing here is a measurement


def eventually(done: Callable[[], object]) -> None:
    """Looks fifty times a second, so that what is waited for has the processor."""
    rest, until = threading.Event(), time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < until, "it never came to be so"
        rest.wait(0.02)
