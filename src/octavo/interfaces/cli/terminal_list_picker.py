"""A list to pick from below the prompt: single keys read from the terminal, what each does, and how it is drawn.

`$(octavo pick)` and editors read stdout, so keys and drawing use the controlling terminal, as in other pickers.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Protocol

from octavo.fast_dataclass import Value, replace
from octavo.interfaces.presenting.formatted_answer_writing import drawn
from octavo.interfaces.presenting.match_highlighting import marked, marks_of
from octavo.operations.styled_answer_lines import Line, Part, cells, visible

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


_PAUSE = 0.12  # seconds without a key before searching
_LOOK = 0.4  # seconds after which a window of another size is drawn anew
_HEIGHT = 14
_ERASE = "\r\x1b[J"


class Choice(Value):
    """What can be picked: where it is, and what is said of it."""

    path: str
    line: int
    place: str
    label: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Picking(Value):
    """`asked` is the query that `rows` answer."""

    query: str = ""
    rows: tuple[Choice, ...] = ()
    at: int = 0
    asked: str | None = None

    @property
    def chosen(self) -> Choice | None:
        return self.rows[self.at] if self.at < len(self.rows) else None

    def press(self, key: str) -> Picking:
        match key:
            case "up" | "page-up":
                return replace(self, at=max(0, self.at - (1 if key == "up" else _HEIGHT // 2)))
            case "down" | "page-down":
                step = 1 if key == "down" else _HEIGHT // 2
                return replace(self, at=max(0, min(self.at + step, len(self.rows) - 1)))
            case "backspace":
                return replace(self, query=self.query[:-1])
            case "word":
                return replace(self, query=self.query.rstrip().rpartition(" ")[0])
            case "clear":
                return replace(self, query="")
            case str(letter) if len(letter) == 1:
                return replace(self, query=self.query + letter)
        return self

    def found(self, rows: Sequence[Choice]) -> Picking:
        return replace(self, rows=tuple(rows), at=0, asked=self.query)


def screen(picking: Picking, width: int, height: int) -> list[Line]:
    """The query, and as many rows as there is room for around the chosen one."""
    count = "" if picking.asked is None else f"{len(picking.rows)} found" if picking.rows else "no match"
    lines: list[Line] = [_cut((Part("> ", "dim"), Part(picking.query, "title")), width, Part(f"  {count}", "dim"))]
    room = max(1, height - 2)
    first = max(0, min(picking.at - room // 2, len(picking.rows) - room))
    find = marks_of(picking.query)
    for number, row in enumerate(picking.rows[first : first + room], first):
        here = number == picking.at
        place = f"{row.place}:{row.line}"
        parts = [Part("▌ " if here else "  ", "match"), *marked(place, find(place), style="place" if here else "")]
        label = Part(f"  {row.label}", "" if here else "dim") if row.label else Part("")
        lines.append(_cut((*parts, label), width))
    lines.append(_cut((Part("Enter picks · Esc leaves · ↑ ↓ move", "dim"),), width))
    return lines


def _cut(line: Line, width: int, *after: Part) -> Line:
    """No wider than the terminal: a line that wraps would not be erased."""
    room, kept = width - 1 - sum(cells(part.text) for part in after), []
    for part in line:
        text = visible(part.text)
        while text and cells(text) > room:
            text = text[: max(0, len(text) - max(1, (cells(text) - room) // 2))]
        room -= cells(text)
        kept.append(part._replace(text=text))
    return (*kept, *after)


def pick(
    keyboard: Keyboard, query: str, look_for: Callable[[str], Sequence[Choice]], *, colours: bool
) -> Choice | None:
    """Has somebody pick one; None when nothing was. `look_for` is called when the typing pauses."""
    picking = Picking(query)
    picking = picking.found(look_for(query))
    height = 0
    try:
        while True:
            columns, rows = size = keyboard.size()
            lines = screen(picking, columns, min(_HEIGHT, max(3, rows - 1)))
            text = drawn(lines, colours=colours).rstrip("\n")
            height = len(lines)
            column = min(columns - 1, 2 + cells(visible(picking.query)))
            keyboard.draw(f"{_ERASE}{text}\r\x1b[{height - 1}A" + (f"\x1b[{column}C" if column else ""))
            searched = picking.asked == picking.query
            keys = keyboard.pressed(_LOOK if searched else _PAUSE)
            while searched and not keys and keyboard.size() == size:
                keys = keyboard.pressed(_LOOK)
            if not searched and not keys:
                picking = picking.found(look_for(picking.query))
            for key in keys:
                if key == "escape":
                    return None
                if key == "enter":
                    if picking.asked != picking.query:
                        picking = picking.found(look_for(picking.query))
                    return picking.chosen
                picking = picking.press(key)
    finally:
        if height:
            keyboard.draw(_ERASE)
