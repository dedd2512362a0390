"""The clock as an argument: tests set it, wiring passes the real one."""

from __future__ import annotations

from collections.abc import Callable

Clock = Callable[[], float]
"""Seconds since the epoch, in UTC."""
