"""A list to pick from, below the prompt: what it holds, what a key does to it, and what it looks like."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from octavo.fast_dataclass import dataclass, replace
from octavo.interfaces.cli.terminal_keyboard_input import Keyboard
from octavo.interfaces.presenting.formatted_answer_writing import drawn
from octavo.interfaces.presenting.match_highlighting import marked, marks_of
from octavo.operations.styled_answer_lines import Line, Part, cells, visible

_PAUSE = 0.12  # seconds without a key before searching
_LOOK = 0.4  # seconds after which a window of another size is drawn anew
_HEIGHT = 14
_ERASE = "\r\x1b[J"


@dataclass(frozen=True, slots=True)
class Choice:
    """What can be picked: where it is, and what is said of it."""

    path: str
    line: int
    place: str
    label: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Picking:
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
