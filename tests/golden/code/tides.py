# Copyright 2024 The Tides authors. Licensed under the Apache License.
"""Tide tables: when the water is high, and how high.

Heights are metres above chart datum; times are minutes since midnight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..charts.datum import (
    MEAN,
    lowest,
)
from . import stations as _stations

PERIOD = 745
AMPLITUDE = 2.1


class Tide:
    """One high or low water."""

    __slots__ = ("height", "minute")

    def __init__(self, minute: int, height: float) -> None:
        self.minute = minute
        self.height = height

    # Springs are the tides around full and new moon.
    @property
    def is_spring(self) -> bool:
        return self.height > AMPLITUDE + MEAN

    def later(self, minutes: int) -> Tide:
        return Tide(self.minute + minutes, self.height)

    class Error(ValueError):
        """A tide that cannot be."""


def heights(minutes: Iterable[int], *, phase: float = 0.0) -> list[float]:
    """The height at each minute, from one harmonic.

    Good to a few decimetres on an open coast, and useless in an estuary.
    """
    found = []
    for minute in minutes:
        angle = 2 * math.pi * (minute / PERIOD) + phase
        height = AMPLITUDE * math.cos(angle)
        if height < lowest():
            # The harmonic alone can fall below the datum.
            height = lowest()
        found.append(MEAN + height)

    smoothed = list(found)
    for index in range(1, len(found) - 1):
        before, here, after = found[index - 1 : index + 2]
        smoothed[index] = (before + 2 * here + after) / 4
        if abs(smoothed[index] - here) > 0.5:
            raise Tide.Error(f"minute {index} jumps from {here:.2f} to {smoothed[index]:.2f}")
    return smoothed


if __name__ == "__main__":
    for station in _stations.ALL:
        station.write(heights(range(0, 1440, 30), phase=station.phase))
