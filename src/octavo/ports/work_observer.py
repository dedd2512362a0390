"""The observer that is told of searches, jobs and embeddings after the fact, for metrics and traces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Observer(Protocol):
    """Told after the fact, from any thread; what it does with it changes nothing."""

    def searched(self, profile: str, took_ms: float, stages: Sequence[tuple[str, float]], degraded: bool) -> None:
        """A search was answered; each stage that ran with its milliseconds."""

    def claimed(self, kind: str) -> None:
        """A job was taken."""

    def worked(self, kind: str, outcome: str, seconds: float) -> None:
        """A job ended as done, failed, dead or lost."""

    def embedded(self, inputs: int, seconds: float) -> None:
        """A job gave that many inputs a vector."""
