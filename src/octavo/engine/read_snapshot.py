"""Searches read one state of the library, and ask models while no read transaction is open."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeVar

from octavo.dataclass import replace

if TYPE_CHECKING:
    from octavo.ports import Store
    from octavo.retrieval.stage import SearchedLibrary

_T = TypeVar("_T")
_ATTEMPTS = 3  # after so many changes the model is asked inside: a search ends, however much is written


class _Outdated(Exception):
    """The library was written to while a model worked."""


def in_read_snapshot(store: Store, library: SearchedLibrary, answer: Callable[[SearchedLibrary], _T]) -> _T:
    """What `answer` makes of one state of the library.

    A model that is asked in the middle of it is asked between two read transactions: an open one keeps the write-ahead
    log from being reset and, on a server, old rows from being removed. If the library has changed meanwhile, the search
    begins anew; what the model said is kept in `SearchedLibrary.reranked`.
    """
    for _ in range(_ATTEMPTS):
        with ExitStack() as transaction:
            transaction.enter_context(store.reading())

            def outside(ask: Callable[[], None], transaction: ExitStack = transaction) -> None:
                seen = store.generation()
                transaction.close()
                try:
                    ask()
                finally:
                    transaction.enter_context(store.reading())
                if store.generation() != seen:
                    raise _Outdated

            try:
                return answer(replace(library, outside=outside, in_another_language={}))
            except _Outdated:
                continue
    with store.reading():
        return answer(library)
