"""Reads single keys from the terminal and draws on it, leaving stdout to the command's output.

`$(octavo pick)` and editors read stdout, so keys and drawing use the controlling terminal, as in other pickers.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Protocol

if sys.platform != "win32":
    import termios

_SEQUENCES: Mapping[str, str] = {
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\x1b[5~": "page-up",
    "\x1b[6~": "page-down",
}
_SINGLE: Mapping[str, str] = {
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x10": "up",  # Ctrl-P
    "\x0e": "down",  # Ctrl-N
    "\x0b": "up",  # Ctrl-K
    "\x15": "clear",  # Ctrl-U
    "\x17": "word",  # Ctrl-W
    "\x04": "escape",  # Ctrl-D
    "\x1b": "escape",
}


class Keyboard(Protocol):
    def pressed(self, seconds: float | None) -> list[str]:
        """What was pressed: single letters as they are, other keys by name. Empty when nothing was in this time."""

    def draw(self, text: str) -> None: ...

    def size(self) -> os.terminal_size: ...


def keys_in(typed: str) -> Iterator[str]:
    """Keys from what a terminal sends; sequences nobody knows are left out."""
    at = 0
    while at < len(typed):
        rest = typed[at:]
        known = next((sequence for sequence in _SEQUENCES if rest.startswith(sequence)), None)
        if known:
            yield _SEQUENCES[known]
            at += len(known)
        elif rest.startswith(("\x1b[", "\x1bO")):
            at += next((place + 1 for place, letter in enumerate(rest) if place > 1 and letter.isalpha()), len(rest))
        else:
            key = _SINGLE.get(rest[0], rest[0])
            if len(key) > 1 or key.isprintable():
                yield key
            at += 1


class _Posix:
    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._begun = b""

    def pressed(self, seconds: float | None) -> list[str]:
        ready, _, _ = select.select([self._stream], [], [], seconds)
        if not ready:
            return []
        typed = os.read(self._stream.fileno(), 1024)
        if not typed:
            return ["escape"]
        text = (self._begun + typed).decode("utf-8", "ignore")
        # A letter of several bytes may come in two readings.
        self._begun = (self._begun + typed)[len(text.encode()) :] if len(typed) < 4 else b""
        return list(keys_in(text))

    def draw(self, text: str) -> None:
        os.write(self._stream.fileno(), text.encode("utf-8", "replace"))

    def size(self) -> os.terminal_size:
        columns, rows = os.get_terminal_size(self._stream.fileno())
        return os.terminal_size((columns or 80, rows or 24))  # one that does not know its size says nought


@contextmanager
def keyboard() -> Iterator[Keyboard | None]:
    """The controlling terminal, unbuffered and without echo; None where there is none."""
    if sys.platform == "win32":
        yield _Console() if sys.stdin.isatty() else None
        return
    try:
        stream = open("/dev/tty", "r+b", buffering=0)  # noqa: PTH123, SIM115 closed below
    except OSError:
        yield None
        return
    with stream:
        before = termios.tcgetattr(stream)
        quiet = termios.tcgetattr(stream)
        quiet[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(stream, termios.TCSADRAIN, quiet)
        try:
            yield _Posix(stream)
        finally:
            termios.tcsetattr(stream, termios.TCSADRAIN, before)


if sys.platform == "win32":
    import msvcrt

    _ARROWS = {"H": "up", "P": "down", "I": "page-up", "Q": "page-down"}

    class _Console:
        _POLL = 0.02

        def __init__(self) -> None:
            os.system("")  # has the console understand escape sequences

        def pressed(self, seconds: float | None) -> list[str]:
            deadline = None if seconds is None else time.monotonic() + seconds
            while not msvcrt.kbhit():
                if deadline is not None and time.monotonic() > deadline:
                    return []
                time.sleep(self._POLL)
            keys: list[str] = []
            while msvcrt.kbhit():
                letter = msvcrt.getwch()
                if letter in "\x00\xe0":
                    keys += filter(None, [_ARROWS.get(msvcrt.getwch())])
                elif letter == "\x03":
                    raise KeyboardInterrupt
                else:
                    keys += keys_in(letter)
            return keys

        def draw(self, text: str) -> None:
            sys.stderr.write(text)
            sys.stderr.flush()

        def size(self) -> os.terminal_size:
            return os.get_terminal_size(2)
