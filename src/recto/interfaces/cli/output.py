"""The only module that writes to stdout: one answer, in the format that was asked for."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, Any

from recto.interfaces.cli.layout import Line, visible

_WIDEST = 100  # longer lines are harder to read, however wide the window
# Legal in JSON, but a terminal obeys them and some readers end a line at them: as escapes they mean the same.
_ESCAPED = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")

STYLES: Mapping[str, str] = {
    "title": "bold",
    "heading": "cyan",
    "place": "blue",
    "match": "bold yellow",
    "dim": "dim",
    "good": "green",
    "warn": "yellow",
    "bad": "red",
}


class Format(StrEnum):
    TEXT = "text"
    MD = "md"
    CSV = "csv"
    FILES = "files"
    JSON = "json"
    JSONL = "jsonl"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command says, ready to be written in any format; only the one that is asked for is made.

    `data` is the whole for `json`, `rows` its parts for `jsonl`. `columns` are the row keys that `csv` and, unless
    `markdown` says better, `md` show; `cells` replaces the values where a row's own are not for people. `exact` is
    what `text` writes when nobody watches: the very characters, for another program to read. `brief` marks an answer
    that only confirms, which `--quiet` leaves out.
    """

    data: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    columns: tuple[str, ...]
    text: Callable[[int], Iterable[Line]]
    cells: Callable[[], Iterable[Sequence[object]]] | None = None
    files: Sequence[str] = ()
    markdown: Callable[[], str] | None = None
    exact: str | None = None
    brief: bool = False


def write(answer: Answer, form: Format, *, quiet: bool = False) -> None:
    stream = sys.stdout
    match form:
        case Format.JSON:
            _put(stream, as_json(answer.data, stream, indent=2) + "\n")
        case Format.JSONL:
            _put(stream, "".join(as_json(row, stream) + "\n" for row in answer.rows))
        case Format.CSV:
            _put(stream, _csv(answer))
        case Format.MD:
            _put(stream, visible(answer.markdown() if answer.markdown else _table(answer), keep="\n"))
        case Format.FILES:
            _put(stream, "".join(visible(path) + "\n" for path in answer.files))
        case Format.TEXT if answer.exact is not None and not stream.isatty():
            _put(stream, answer.exact)
        case Format.TEXT if not (quiet and answer.brief):
            draw(answer.text(width()), stream)
    stream.flush()


def failed(error: Mapping[str, Any]) -> None:
    """The error object, for a caller that asked for JSON."""
    _put(sys.stdout, as_json(error, sys.stdout) + "\n")
    sys.stdout.flush()


def plain(text: str) -> None:
    """Text meant for another program, such as a shell's completion script."""
    _put(sys.stdout, text)
    sys.stdout.flush()


def as_json(value: Any, stream: IO[str], indent: int | None = None) -> str:
    text = json.dumps(value, ensure_ascii=not _encoding(stream).startswith("utf"), indent=indent)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def width() -> int:
    return max(20, min(_WIDEST, shutil.get_terminal_size((80, 24)).columns))


def coloured(stream: IO[str]) -> bool:
    """Whether to draw with colours and links: a terminal that can, and nobody asked for plain text."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def draw(lines: Iterable[Line], stream: IO[str]) -> None:
    """Every part is made harmless here, so that nothing read from a disk can steer the terminal."""
    if not coloured(stream):
        _put(stream, "".join("".join(visible(part.text) for part in line).rstrip() + "\n" for line in lines))
        return
    from rich.console import Console
    from rich.style import Style
    from rich.text import Text

    console = Console(file=stream, force_terminal=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in lines:
        text = Text(end="")
        for part in line:
            style = Style.parse(STYLES.get(part.style, "")) + Style(link=part.link)
            text.append(visible(part.text), style)
        console.print(text)


def _put(stream: IO[str], text: str) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:
        # A terminal of another time, or half a character from a file's name: shown as an escape, not fatal.
        encoding = _encoding(stream)
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def _encoding(stream: IO[str]) -> str:
    return (getattr(stream, "encoding", None) or "utf-8").lower()


def _csv(answer: Answer) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(answer.columns)
    writer.writerows([visible(shown(cell)) for cell in row] for row in _rows(answer))
    return out.getvalue()


def _rows(answer: Answer) -> Iterable[Sequence[object]]:
    return answer.cells() if answer.cells else ([row.get(name) for name in answer.columns] for row in answer.rows)


def _table(answer: Answer) -> str:
    lines = ["| " + " | ".join(answer.columns) + " |", "|" + " --- |" * len(answer.columns)]
    for row in _rows(answer):
        lines.append("| " + " | ".join(visible(shown(cell)).replace("|", "\\|") for cell in row) + " |")
    return "\n".join(lines) + "\n"


def shown(value: Any) -> str:
    """A value in a cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(shown(one) for one in value)
    return str(value)
