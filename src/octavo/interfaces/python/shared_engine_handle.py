"""An open engine that several threads use and one of them may close."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from octavo.engine.indexing.index_runs import Stopped
from octavo.errors import LibraryClosed

if TYPE_CHECKING:
    from octavo.engine.engine import Engine

_REOPEN = "open it again with octavo.open(…); inside a `with` block it stays open"


class Handle:
    """Counts the calls under way, so that closing waits for them instead of pulling the database from under them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._process = os.getpid()
        self._changed = threading.Condition()
        self._calls: Counter[int] = Counter()  # by thread
        self._closing = threading.Event()
        self._shutting = threading.Lock()
        self._shut = False

    @property
    def closed(self) -> bool:
        return self._closing.is_set()

    @contextmanager
    def use(self) -> Iterator[Engine]:
        """The engine for the length of a call."""
        if os.getpid() != self._process:
            raise LibraryClosed(
                f"the library at {self._engine.location} was opened before this process was forked",
                hint="open it in each process, after the fork: a connection to a database cannot be shared",
            )
        thread = threading.get_ident()
        with self._changed:
            if self._closing.is_set():
                raise LibraryClosed(f"the library at {self._engine.location} is closed", hint=_REOPEN)
            self._calls[thread] += 1
        try:
            yield self._engine
        except Stopped as stopped:
            if self._closing.is_set():
                message = f"the library at {self._engine.location} was closed while it was being indexed"
                raise LibraryClosed(message, hint=_REOPEN) from stopped
            raise
        finally:
            with self._changed:
                self._calls[thread] -= 1
                self._calls += Counter()  # drops the threads that have no call under way
                last = self._closing.is_set() and not self._calls
                self._changed.notify_all()
            if last:
                self._close_engine()

    def close(self) -> None:
        """Refuses new calls, stops a run that is indexing at its next report, waits for the others, then closes.

        Within a call, from a progress callback for instance, it only asks: the call closes the engine when it ends.
        """
        if os.getpid() != self._process:
            return  # it is the parent's
        self._closing.set()
        self._engine.builds.stop(0.0)
        with self._changed:
            if threading.get_ident() in self._calls:
                return
            self._changed.wait_for(lambda: not self._calls)
        self._close_engine()

    def _close_engine(self) -> None:
        with self._shutting:
            if not self._shut:
                self._shut = True
                self._engine.close()
