"""The vectors of a searched library, made by functions of a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class Meaning:
    """Fits `SearchVectors`."""

    def __init__(self, embedder: Callable[[], Any], vectors: Callable[[], Any]) -> None:
        self._embedder, self._vectors = embedder, vectors

    @property
    def embedder(self) -> Any:
        return self._embedder()

    @property
    def vectors(self) -> Any:
        return self._vectors()

    @property
    def summaries(self) -> Any:
        return self

    def near(self, *_: object) -> Sequence[object]:
        """No summaries were made."""
        return ()

    def instead(self, embedder: Callable[[], Any] | None = None, vectors: Callable[[], Any] | None = None) -> Meaning:
        return Meaning(embedder or self._embedder, vectors or self._vectors)
