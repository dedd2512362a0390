"""Another writer at the worst moment: between what a flow has read and the transaction in which it writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from octavo.sql_repositories.store import Store


class Interleaved:
    """A store that lets `other` act once, right before its next transaction begins."""

    def __init__(self, store: Store, other: Callable[[], object] | None = None) -> None:
        self._store = store
        self.other = other

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        other, self.other = self.other, None
        if other is not None:
            other()
        with self._store.transaction():
            yield
