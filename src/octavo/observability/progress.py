"""Progress of long work: what a flow reports, and how fast it is going."""

from __future__ import annotations

from math import exp
from typing import Protocol

from octavo.fast_dataclass import Value, replace


class Progress(Protocol):
    """Reported by a flow, shown by an interface. Phases follow one another; each ends with `finish`."""

    def start(self, phase: str, total: int | None, unit: str) -> None:
        """`total` is None when it is not known how much there is to do."""

    def advance(self, n: int = 1, note: str = "") -> None:
        """`n` more units are done; `note` names what is being worked on."""

    def finish(self) -> None: ...


class NoProgress:
    """Nobody is watching."""

    def start(self, phase: str, total: int | None, unit: str) -> None:
        pass

    def advance(self, n: int = 1, note: str = "") -> None:
        pass

    def finish(self) -> None:
        pass


class Rate(Value):
    """How fast work is going, recent work counting most, and how long the rest will take.

    An exponentially weighted mean of the speed over time: after `horizon` seconds an observation weighs 1/e of what it
    did. It is divided by the weight seen so far, so that the first seconds are not taken for slow ones.
    The caller passes the clock: any seconds that do not go backwards, such as `time.monotonic()`.

    >>> rate = Rate.begin(now=0.0).advance(50, now=1.0).advance(50, now=2.0)
    >>> rate.per_second, rate.seconds_left(300)
    (50.0, 4.0)
    """

    at: float
    horizon: float
    done: int = 0
    _pending: int = 0
    _mean: float = 0.0
    _weight: float = 0.0

    @classmethod
    def begin(cls, now: float, horizon: float = 15.0) -> Rate:
        return cls(at=now, horizon=horizon)

    def advance(self, n: int, now: float) -> Rate:
        pending = self._pending + n
        elapsed = now - self.at
        if elapsed <= 0:
            # Several units within one tick of the clock: they count with the next one.
            return replace(self, done=self.done + n, _pending=pending)
        decay = exp(-elapsed / self.horizon)
        return Rate(
            at=now,
            horizon=self.horizon,
            done=self.done + n,
            _mean=decay * self._mean + (1 - decay) * pending / elapsed,
            _weight=decay * self._weight + (1 - decay),
        )

    @property
    def per_second(self) -> float | None:
        """None until time has passed."""
        return self._mean / self._weight if self._weight else None

    def seconds_left(self, total: int | None) -> float | None:
        """None when the total is unknown or nothing has been done yet."""
        speed = self.per_second
        if total is None or not speed:
            return None
        return max(0, total - self.done) / speed
