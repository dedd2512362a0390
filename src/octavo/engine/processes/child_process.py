"""A process of Octavo's own that answers what it is sent over a pipe, and ends with whoever started it."""

from __future__ import annotations

import marshal
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

_SIZE = 8  # bytes that say how long an answer is
_READY = "ready"

# What it runs. The path comes first, so that it finds the Octavo that started it wherever that lies.
_PROGRAM = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from octavo.engine.processes.child_process import serve
serve()
"""


class Died(Exception):
    """A process went away before it answered."""


class ChildProcess:
    """A process that answers what it is sent, in a group of its own: Ctrl-C belongs to the owner of the library.

    It is a plain one that reads from a pipe, not one of `multiprocessing`: that would run the caller's own script again
    and be left behind when this process is killed. Nobody else holds the other end of its pipe, so that it ends with
    this process however this process ends.
    """

    def __init__(self) -> None:
        apart: dict[str, Any] = {"process_group": 0}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        command = [sys.executable, "-c", _PROGRAM]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **apart)
        assert self._child.stdin is not None and self._child.stdout is not None
        self._to: IO[bytes] = self._child.stdin
        self._from: IO[bytes] = self._child.stdout

    def begin(self, make: Callable[[], Callable[[Any], Any]]) -> None:
        """Has it make what answers from then on. The path goes ahead of everything that only this path can load."""
        with _while_alive():
            _send(self._to, pickle.dumps(sys.path))
        self.ask(make)

    def ask(self, question: object) -> Any:
        """The answer, made of plain values."""
        with _while_alive():
            _send(self._to, pickle.dumps(question, pickle.HIGHEST_PROTOCOL))
            return _received(self._from)

    def end(self) -> None:
        self._child.kill()
        self._child.wait()
        for channel in (self._to, self._from):
            with suppress(OSError):
                channel.close()


@contextmanager
def _while_alive() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError, ValueError, TypeError) as error:
        raise Died from error


def serve() -> None:
    """A child's life: it is told how to make what answers, then answers question after question."""
    requests = sys.stdin.buffer
    # Answers have a channel of their own; whatever else is printed goes where errors go.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        answer = pickle.load(requests)()
        _answer(answers, _READY)
        while True:
            _answer(answers, answer(pickle.load(requests)))
    except (EOFError, BrokenPipeError):
        # Nothing is left to flush to: leave without the interpreter's farewell, which would complain about it.
        os._exit(0)


def _send(channel: IO[bytes], *parts: bytes) -> None:
    for part in parts:
        channel.write(part)
    channel.flush()


def _answer(channel: IO[bytes], value: Any) -> None:
    """Plain values, which `marshal` writes and reads in two thirds of the time that `pickle` takes."""
    message = marshal.dumps(value)
    _send(channel, len(message).to_bytes(_SIZE, "big"), message)


def _received(channel: IO[bytes]) -> Any:
    size = int.from_bytes(_exactly(channel, _SIZE), "big")
    return marshal.loads(_exactly(channel, size))


def _exactly(channel: IO[bytes], size: int) -> bytes:
    data = channel.read(size)
    if len(data) < size:
        raise EOFError
    return data
