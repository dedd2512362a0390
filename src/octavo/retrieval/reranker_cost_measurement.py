"""A reranker that measures its own cost per pair."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from octavo.ports import Reranker

_MEMORY = 0.7  # of what was known stays when a new measurement comes


@runtime_checkable
class LoadedReranker(Protocol):
    """A reranker with a model to load."""

    def prepare(self) -> None: ...


@runtime_checkable
class TimedReranker(Protocol):
    """A reranker that ends its calls after so many seconds."""

    def score_within(self, query: str, texts: Sequence[str], seconds: float) -> Sequence[float]: ...


class MeasuredReranker:
    """Fits `ports.Reranker`. Keeps a running mean of the seconds a pair takes, the latest calls counting most."""

    def __init__(self, reranker: Reranker, clock: Callable[[], float] = time.perf_counter, *, at_once: int = 8) -> None:
        """`at_once` passages are scored together at no more cost than one."""
        self._reranker = reranker
        self.at_once = at_once
        self.clock = clock
        self.seconds_per_pair: float | None = None

    @property
    def name(self) -> str:
        return self._reranker.name

    def prepare(self) -> None:
        """Loads the model before the clock runs: that is no cost of a pair."""
        if isinstance(self._reranker, LoadedReranker):
            self._reranker.prepare()

    def score(self, query: str, texts: Sequence[str], within: float | None = None) -> Sequence[float]:
        """`within` so many seconds, where the reranker can end its calls."""
        started = self.clock()
        if within is not None and isinstance(self._reranker, TimedReranker):
            scores = self._reranker.score_within(query, texts, within)
        else:
            scores = self._reranker.score(query, texts)
        if texts:
            each = (self.clock() - started) / len(texts)
            known = self.seconds_per_pair
            # Two searches at once may lose one measurement; the next makes up for it.
            self.seconds_per_pair = each if known is None else _MEMORY * known + (1.0 - _MEMORY) * each
        return scores

    def pairs_within(self, seconds: float, otherwise: int) -> int:
        """How many pairs fit into so much time; `otherwise` while that is not known."""
        if self.seconds_per_pair is None:
            return otherwise
        return int(max(0.0, seconds) / self.seconds_per_pair) if self.seconds_per_pair > 0 else 1_000_000
