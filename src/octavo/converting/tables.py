"""Rows of a sheet or a CSV file as tables, each small enough for a chunk and each with the header."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from octavo.converting.text_builder import TextBuilder, one_line

MOST_ROWS = 50_000
MOST_COLUMNS = 200
_TABLE_CHARACTERS = 1_000  # about what one chunk holds
_WIDE = 500  # characters of a header: wider tables are written as records
_LONGEST_CELL = 2_000
_LONGEST_SPAN = 1_000  # rows that one cell may take
_MOST_TITLES = 5  # lines above a header


class Cell(NamedTuple):
    """A cell of a table, which may take several columns and rows."""

    text: str
    columns: int = 1
    rows: int = 1


def grid(rows: Iterable[Sequence[Cell]]) -> list[list[str]]:
    """Every cell in its own column: what a cell takes beside its first place stays empty."""
    made: list[list[str]] = []
    taken: dict[int, int] = {}  # column → rows that a cell from above still takes of it
    for row in rows:
        cells: list[str] = []
        still = {column: left - 1 for column, left in taken.items() if left > 1}
        for cell in row:
            while taken.get(len(cells), 0):
                cells.append("")
            columns = range(len(cells), min(len(cells) + max(1, cell.columns), MOST_COLUMNS))
            if cell.rows > 1:
                still |= dict.fromkeys(columns, min(cell.rows, _LONGEST_SPAN) - 1)
            cells += [cell.text, *[""] * (len(columns) - 1)] if columns else []
        taken = still
        made.append(cells)
    return made


def write_rows(builder: TextBuilder, rows: Iterable[Sequence[str]]) -> None:
    """The first row with text is the header, lines of one cell above it are text; empty rows are left out."""
    waiting = _filled(rows)
    first = list(islice(waiting, _MOST_TITLES + 1))
    above = next((number for number, row in enumerate(first) if sum(map(bool, row)) > 1), 0)
    for title in first[:above]:
        builder.paragraph(" ".join(filter(None, title)))
    if not first:
        return
    header = first[above]
    waiting = chain(first[above + 1 :], waiting)
    if sum(map(len, header)) > _WIDE:
        _write_records(builder, header, waiting)
        return
    size = sum(map(len, header))
    together: list[list[str]] = []
    taken, written = size, False
    for count, row in enumerate(waiting):
        if count >= MOST_ROWS:
            builder.warnings.append(f"only its first {MOST_ROWS:,} rows were read")
            break
        length = sum(map(len, row)) + 3 * len(row)
        if together and taken + length > _TABLE_CHARACTERS:
            builder.table([header, *together])
            together, taken, written = [], size, True
        together.append(row)
        taken += length
    if together or not written:
        builder.table([header, *together])


def _filled(rows: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    for row in rows:
        cells = [one_line(value)[:_LONGEST_CELL] for value in row[:MOST_COLUMNS]]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield cells


def _write_records(builder: TextBuilder, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    for count, row in enumerate(rows):
        if count >= MOST_ROWS:
            builder.warnings.append(f"only its first {MOST_ROWS:,} rows were read")
            return
        names = [*header, *[""] * (len(row) - len(header))]
        fields = [f"{name}: {value}" if name else value for name, value in zip(names, row, strict=False) if value]
        builder.paragraph("\n".join(fields))
