"""Rows of a sheet or a CSV file as tables, each small enough for a chunk and each with the header."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from octavo.converting.text_builder import TextBuilder, one_line

MOST_ROWS = 50_000
MOST_COLUMNS = 200
_TABLE_CHARACTERS = 1_000  # about what one chunk holds
_WIDE = 500  # characters of a header: wider tables are written as records
_LONGEST_CELL = 2_000


def write_rows(builder: TextBuilder, rows: Iterable[Sequence[str]]) -> None:
    """The first row with text is the header; empty rows and columns are left out."""
    waiting = _filled(rows)
    header = next(waiting, None)
    if header is None:
        return
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
