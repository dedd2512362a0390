"""Renders an operation's answer as its declaration lists it: a table of rows, or a sentence.

A cell of `Listing.shown` is a template over the fields of a row, with a style after a bar: `"v{version}|dim"`. After a
colon stands how a value is told: `{jobs:job}` counts, `{bytes:size}` is for people, `{at:time}` a time to the minute,
`{ended_at:ended/open}` one word or the other, and `{dimensions!s}` a number without commas. The style `state` follows
from the word itself.

>>> from types import SimpleNamespace
>>> told("{jobs:job} of {name} {done:ended/open}", SimpleNamespace(jobs=1, name="a", done=True))
'1 job of a ended'
"""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter
from typing import Any

from octavo.fast_dataclass import Value
from octavo.operations.styled_answer_lines import Line, Part, columns, count, degraded_lines, more, size

_STATES = {"active": "good", "leased": "good", "open": "good", "filling": "warn", "dead": "bad"}
_HEADINGS = "dim"


class Listing(Value):
    """Where an answer has its rows, for CSV, JSON lines and tables.

    `rows` is the field of the answer that holds them, or the only one; without it, the answer itself is that row.
    `columns` are the fields of a row that are shown, `path` the one that names a file. With `matches`, an answer
    without rows, or else without exact text, is "no match" to a command line; where it is a name, an answer
    without that field is. `succeeds` is what is false of an answer
    if part of the work failed. An answer that only `confirms` is left out with `--quiet`. `exact` is the field whose
    very characters go into a pipe. `shown` are the cells of a line, as this module reads them, where the answer
    has no renderer of its own; `empty` is said instead of no rows. Each of the `notes` is a line about the answer, left
    out where a field in it is empty.
    """

    rows: str = ""
    columns: tuple[str, ...] = ()
    path: str = ""
    matches: bool | str = False
    succeeds: str = ""
    confirms: bool = False
    exact: str = ""
    shown: tuple[str, ...] = ()
    empty: str = ""
    notes: tuple[str, ...] = ()


def listed(answer: Any, listing: Listing) -> Iterator[Line]:
    """A listing without `shown` is a table of its columns below their names."""
    values = getattr(answer, listing.rows) if listing.rows else answer
    rows = values if isinstance(values, list | tuple) else (values,)
    shown = listing.shown or tuple(f"{{{name}}}" for name in listing.columns)
    table = [[_cell(template, row) for template in shown] for row in rows]
    if table and not listing.shown:
        table.insert(0, [Part(name.replace("_", " "), _HEADINGS) for name in listing.columns])
    yield from columns(table) if table else [(Part(listing.empty or f"No {listing.rows.replace('_', ' ')}."),)]
    for note in listing.notes:
        if all(getattr(answer, name) for _, name, _, _ in Formatter().parse(note) if name):
            yield (_cell(note, answer),)
    yield from degraded_lines(getattr(answer, "degraded", None))
    yield from more(getattr(answer, "next_cursor", None))


def _cell(template: str, row: Any) -> Part:
    text, _, style = template.partition("|")
    text = told(text, row).strip()
    return Part(text, _STATES.get(text, "dim") if style == "state" else style, text if style == "place" else None)


def told(template: str, row: Any) -> str:
    parts = Formatter().parse(template)
    return "".join(
        before + ("" if name is None else str(getattr(row, name)) if plain else _value(getattr(row, name), how or ""))
        for before, name, how, plain in parts
    )


def _value(value: Any, how: str) -> str:
    first, _, second = how.partition("/")
    if how == "size":
        return size(value)
    if how == "time":
        return str(value)[:16].replace("T", " ")
    if how and isinstance(value, int) and not isinstance(value, bool):
        return count(value, first, second or None)
    if how:
        return first if value else second
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
