"""Runs a search on one state of the library, and calls models outside of read transactions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, TypeVar

from octavo.fast_dataclass import replace
from octavo.sql_repositories.store import ReplicaLost, Store

if TYPE_CHECKING:
    from octavo.retrieval.search_data_sources import SearchedLibrary

_T = TypeVar("_T")
_ATTEMPTS = 3  # after so many changes the model is asked inside: a search ends, however much is written


class _Outdated(Exception):
    """The library was written to while a model worked."""


class _Interruptible:
    """A read transaction that is open in a stack of contexts."""

    def __init__(self, store: Store, stack: ExitStack) -> None:
        self._store = store
        self._stack = stack

    def outside(self, ask: Callable[[], None]) -> None:
        """Asks between two transactions; a library that was written to meanwhile is searched again."""
        seen = self._store.generation()
        self._stack.close()
        try:
            ask()
        finally:
            self._stack.enter_context(self._store.searching())
        if self._store.generation() != seen:
            raise _Outdated


def in_read_snapshot(store: Store, library: SearchedLibrary, answer: Callable[[SearchedLibrary], _T]) -> _T:
    """The answer from one state of the library.

    A model that is asked in the middle of it is asked between two read transactions: an open one keeps the write-ahead
    log from being reset and, on a server, old rows from being removed. If the library has changed meanwhile, the search
    begins anew; what the model said is kept in `SearchRun.reranked`.
    """
    for _ in range(_ATTEMPTS):
        with suppress(ReplicaLost), ExitStack() as stack:
            stack.enter_context(store.searching())
            run = replace(library.run, transaction=_Interruptible(store, stack), in_another_language={})
            try:
                return answer(replace(library, run=run))
            except _Outdated:
                continue
    with store.reading():
        return answer(library)
