"""A pool of child processes that each run a server's calls, since threads of one process share a processor."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from octavo.engine.engine import Engine
from octavo.engine.processes.child_process import ChildProcess, Died

_T = TypeVar("_T")

Runs = Callable[[Callable[[Engine], Any]], Any]


class ProcessPool:
    """As many as are asked for, each with the library open. `make` gives what runs a function with the engine there.

    A thread waits for each. One that died is started anew for the next question.
    """

    def __init__(self, make: Callable[[], Runs], count: int) -> None:
        self._make = make
        self._threads = ThreadPoolExecutor(count, "octavo-search")
        self._mine = threading.local()
        self._guard = threading.Lock()
        self._children: set[ChildProcess] = set()
        self._closed = False
        for _ in range(count):
            self._threads.submit(self._child)  # opens the library before somebody asks

    def submit(self, function: Callable[[Engine], _T]) -> Future[_T]:
        """`Died` where its process did; what is cancelled before its turn is never begun."""
        return self._threads.submit(self._ask, function)

    def close(self) -> None:
        with self._guard:
            self._closed = True
            for child in self._children:
                child.end()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _ask(self, function: Callable[[Engine], Any]) -> Any:
        child = self._child()
        try:
            return child.ask(function)
        except Died:
            self._forget(child)
            raise

    def _child(self) -> ChildProcess:
        """That of this thread."""
        child: ChildProcess | None = getattr(self._mine, "child", None)
        if child is None:
            with self._guard:
                if self._closed:
                    raise Died
                child = ChildProcess()
                self._children.add(child)
            try:
                child.begin(self._make)
            except Died:
                self._forget(child)
                raise
            self._mine.child = child
        return child

    def _forget(self, child: ChildProcess) -> None:
        self._mine.child = None
        with self._guard:
            self._children.discard(child)
            child.end()
