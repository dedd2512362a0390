"""An answer in any format that can be asked for: text, Markdown, CSV, paths or JSON."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from octavo.fast_dataclass import dataclass
from octavo.operations.styled_answer_lines import Line, visible

# Legal in JSON, but a terminal obeys them and some readers end a line at them: as escapes they mean the same.
_ESCAPED = "[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
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
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class OutputFormat(StrEnum):
    TEXT = "text"
    MD = "md"
    CSV = "csv"
    FILES = "files"
    JSON = "json"
    JSONL = "jsonl"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command says, ready to be written in any format; only the one that is asked for is made.

    `data` is the whole for `json`, `rows` its parts for `jsonl`, either as they are or as what makes them. `columns`
    are the row keys that `csv` and, unless `markdown` gives something, `md` show; `cells` replaces the values where a
    row's own are not for people. `exact` is what `text` writes when nobody watches: the very characters, for another
    program to read. `brief` marks an answer that only confirms, which `--quiet` leaves out.
    """

    data: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    rows: Sequence[Mapping[str, Any]] | Callable[[], Sequence[Mapping[str, Any]]]
    columns: tuple[str, ...] | Callable[[], tuple[str, ...]]
    text: Callable[[int], Iterable[Line]]
    cells: Callable[[], Iterable[Sequence[object]]] | None = None
    files: Sequence[str] | Callable[[], Sequence[str]] = ()
    markdown: Callable[[], str | None] | None = None
    exact: str | None = None
    brief: bool = False


class Screen(NamedTuple):
    """What an answer is written for: how wide it is, whether somebody watches, and what it can show."""

    width: int
    watched: bool
    colours: bool
    encoding: str


def written(answer: Answer, form: OutputFormat, on: Screen, *, quiet: bool = False) -> str:
    match form:
        case OutputFormat.JSON:
            data = answer.data() if callable(answer.data) else answer.data
            return as_json(data, on.encoding, indent=2) + "\n"
        case OutputFormat.JSONL:
            return "".join(as_json(row, on.encoding) + "\n" for row in _rows(answer))
        case OutputFormat.CSV:
            return _csv(answer)
        case OutputFormat.MD:
            return visible((answer.markdown() if answer.markdown else None) or _table(answer), keep="\n")
        case OutputFormat.FILES:
            files = answer.files() if callable(answer.files) else answer.files
            return "".join(visible(path) + "\n" for path in files)
        case OutputFormat.TEXT if answer.exact is not None and not on.watched:
            return answer.exact
        case OutputFormat.TEXT if not (quiet and answer.brief):
            return drawn(answer.text(on.width), colours=on.colours)
    return ""


def as_json(value: Any, encoding: str, indent: int | None = None) -> str:
    text = json.dumps(value, ensure_ascii=not encoding.startswith("utf"), indent=indent)
    return re.sub(_ESCAPED, lambda match: f"\\u{ord(match[0]):04x}", text)


def drawn(lines: Iterable[Line], *, colours: bool) -> str:
    """Every part is made harmless here, so that nothing read from a disk can steer the terminal."""
    if not colours:
        return "".join("".join(visible(part.text) for part in line).rstrip() + "\n" for line in lines)
    from rich.console import Console
    from rich.style import Style
    from rich.text import Text

    out = io.StringIO()
    # The colours are those every terminal has, so that what is drawn depends on nothing of this process's surroundings.
    console = Console(
        file=out,
        force_terminal=True,
        color_system="standard",
        no_color=False,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
    )
    for line in lines:
        text = Text(end="")
        for part in line:
            style = Style.parse(STYLES.get(part.style, "")) + Style(link=part.link)
            text.append(visible(part.text), style)
        console.print(text)
    return out.getvalue()


def _csv(answer: Answer) -> str:
    import csv

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_columns(answer))
    writer.writerows([_cell(cell) for cell in row] for row in _cells(answer))
    return out.getvalue()


def _cell(value: object) -> str:
    """A spreadsheet runs a text that starts like a formula; the quotation mark before it makes it a text again."""
    text = visible(shown(value))
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text


def _rows(answer: Answer) -> Sequence[Mapping[str, Any]]:
    return answer.rows() if callable(answer.rows) else answer.rows


def _columns(answer: Answer) -> tuple[str, ...]:
    return answer.columns() if callable(answer.columns) else answer.columns


def _cells(answer: Answer) -> Iterable[Sequence[object]]:
    names = _columns(answer)
    return answer.cells() if answer.cells else ([row.get(name) for name in names] for row in _rows(answer))


def _table(answer: Answer) -> str:
    names = _columns(answer)
    lines = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    for row in _cells(answer):
        lines.append("| " + " | ".join(visible(shown(cell)).replace("|", "\\|") for cell in row) + " |")
    return "\n".join(lines) + "\n"


def shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(shown(item) for item in value)
    return str(value)
