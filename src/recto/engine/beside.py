"""What may be computed while a search does something else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from recto.ports import Embedder

_T = TypeVar("_T")
_THREADS = 4  # of searches at once: each computes one vector here


class Beside:
    """Begins something in another thread; what it returns waits for that to be done, and raises what it raised."""

    def __call__(self, task: Callable[[], _T]) -> Callable[[], _T]:
        return self._threads.submit(task).result

    def stop(self) -> None:
        if "_threads" in self.__dict__:
            self._threads.shutdown()

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(_THREADS, "recto-query")


def load_ahead(embedder: Callable[[], Embedder], text: str, *, awaited: bool = False) -> threading.Thread | None:
    """Starts the model beside the first search's reading of the library: a cold start waits for the slower one.

    The interpreter ends after one that is `awaited`, whatever broke in before anybody could join the thread.
    """
    # A failure is the search's to report, when it asks for the vector itself. The embedder is made here, where nobody
    # else makes it at the same time.
    with suppress(Exception):
        made = embedder()
        thread = threading.Thread(target=_quietly, args=(made, text), name="recto-model", daemon=not awaited)
        thread.start()
        return thread
    return None


def _quietly(embedder: Embedder, text: str) -> None:
    with suppress(Exception):
        embedder.embed_query(text)
