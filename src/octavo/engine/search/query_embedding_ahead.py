"""The query's vector, computed before the search reads the library, or in another thread while it does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from octavo.fast_dataclass import replace
from octavo.model.query import Query
from octavo.ports import AheadEmbedder, Embedder
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import Search

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np
    from numpy.typing import NDArray


_T = TypeVar("_T")
_THREADS = 4  # of searches at once: each computes one vector here


class QueryThreads:
    """A thread pool: starts a task; what it returns waits for the result or raises the error."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    def __call__(self, task: Callable[[], _T]) -> Callable[[], _T]:
        if self._pool is None:
            with self._lock:
                if self._pool is None:
                    from concurrent.futures import ThreadPoolExecutor

                    self._pool = ThreadPoolExecutor(_THREADS, "octavo-query")
        return self._pool.submit(task).result

    def stop(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()


def load_model_ahead(embedder: Callable[[], Embedder], text: str, *, awaited: bool = False) -> threading.Thread | None:
    """Loads the model in a thread while the first search reads the library: a cold start waits for the slower one.

    A service has nothing to load: it is asked once, by the search.
    The interpreter waits for an `awaited` thread before it ends, even where nobody came to join it.
    """
    # A failure is the search's to report, when it asks for the vector itself. The embedder is made here, where nobody
    # else makes it at the same time.
    with suppress(Exception):
        model = embedder()
        if not isinstance(model, AheadEmbedder):
            return None
        loading = threading.Thread(
            target=_embed_ignoring_errors, args=(model, text), name="octavo-model", daemon=not awaited
        )
        loading.start()
        return loading
    return None


def _embed_ignoring_errors(embedder: Embedder, text: str) -> None:
    with suppress(Exception):
        embedder.embed_query(text)


def embedded_ahead(query: Query, library: SearchedLibrary) -> SearchedLibrary:
    """The library with the query's vector, computed before the read transaction begins: a transaction that waits for
    a model keeps the write-ahead log from being reset."""
    if not query.by_meaning.strip():
        return library
    try:
        vector = Search(query, library).embedded()
    except Exception as error:
        return with_query_vector(library, partial(_raise, error))
    return with_query_vector(library, lambda: vector)


def with_query_vector(library: SearchedLibrary, vector: Callable[[], NDArray[np.float32]] | None) -> SearchedLibrary:
    return replace(library, run=replace(library.run, query_vector=vector))


def _raise(error: Exception) -> NDArray[np.float32]:
    raise error
