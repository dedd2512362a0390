"""Tables of sheets, CSV and TSV: cells as a sheet shows them, rows in small tables that each have the header."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain, groupby, pairwise
from typing import NamedTuple

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted

_DATES = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_SECONDS = frozenset({19, 21, 45, 46, 47})
_PERCENTS = frozenset({9, 10})
_DATE_CODE = regex(r"(?:[dyh]|m{3}|s{2})", re.IGNORECASE)
_QUOTED = regex(r"\"[^\"]*\"|\\.|\[[^\]]*\]")
_WHOLE = 2**53  # beyond, not every whole number can be told from the next
_DIGITS = 15  # that Excel keeps


class Formats:
    """Which of a workbook's number formats show dates, and which per cent."""

    def __init__(self, codes: Mapping[int, str]) -> None:
        plain = {number: _QUOTED.sub("", code) for number, code in codes.items()}
        self._dates = _DATES | {number for number, code in plain.items() if _DATE_CODE.search(code)}
        self._seconds = _SECONDS | {number for number, code in plain.items() if "s" in code.casefold()}
        self._percents = _PERCENTS | {number for number, code in plain.items() if "%" in code}

    def shown(self, value: float, number: int, epoch: date) -> str:
        """A value as the format of that number shows it."""
        if number in self._dates:
            return shown_date(value, epoch, seconds=number in self._seconds)
        return shown_number(value * 100) + "%" if number in self._percents else shown_number(value)


def epoch_of(*, since_1904: bool) -> date:
    """The day from which a workbook counts."""
    return date(1904, 1, 1) if since_1904 else date(1899, 12, 30)


def shown_number(number: float) -> str:
    """As a sheet shows it.

    >>> [shown_number(number) for number in (7.0, 0.1 + 0.2, 1234567890123456.0, -3.5e300)]
    ['7', '0.3', '1234567890123456', '-3.5e+300']
    """
    if number == number // 1 and abs(number) < _WHOLE:
        return str(int(number))
    return f"{number:.12g}" if abs(number) < 10**11 else f"{number:.{_DIGITS}g}"


def shown_date(days: float, epoch: date, *, seconds: bool) -> str:
    """A day, a moment or, below one day, a time; to the minute unless its `seconds` are shown.

    >>> first = epoch_of(since_1904=False)
    >>> shown_date(45000, first, seconds=False), shown_date(45000.5, first, seconds=False)
    ('2023-03-15', '2023-03-15 12:00')
    >>> shown_date(0.750011574, first, seconds=True)
    '18:00:01'
    """
    step = 1 if seconds else 60
    try:
        moment = datetime.combine(epoch, time(), UTC) + timedelta(seconds=round(days * 86_400 / step) * step)
    except (ValueError, OverflowError):
        return shown_number(days)
    clock = moment.strftime("%H:%M:%S" if seconds else "%H:%M")
    if 0 <= days < 1:
        return clock
    return f"{moment:%Y-%m-%d}" if days == days // 1 else f"{moment:%Y-%m-%d} {clock}"


MOST_ROWS = 50_000
MOST_COLUMNS = 200
_TABLE_CHARACTERS = 1_000  # about what one chunk holds
_WIDE = 500  # characters of a header: wider tables are written as records
_LONGEST_CELL = 2_000
_LONGEST_SPAN = 1_000  # rows that one cell may take
_NUMBER = regex(r"[-+(]?[$€£¥]?\s?\d[\d.,:/\s-]*%?\)?")  # an amount, a date, a time
_YEAR = regex(r"(?:19|20)\d\d")


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
    """Rows of a sheet, in which an empty row may end a table. The first row of several cells is its header, lines of
    one cell above it are text. What follows an empty row without a header of its own belongs to the table before."""
    table = _Table(builder)
    for filled, block in groupby(_cleaned(rows), key=bool):
        if filled and not table.write_block(block):
            builder.warnings.append(f"only its first {MOST_ROWS:,} rows were read")
            break
    table.flush()


class _Table:
    """The table that is being written: as many of its rows together as a chunk holds, each time with the header."""

    def __init__(self, builder: TextBuilder) -> None:
        self._builder = builder
        self._header: list[str] = []
        self._rows: list[list[str]] = []
        self._size = 0
        self._bare = False  # whether the header stands nowhere yet
        self._counts = False  # whether a number was among the values
        self._left = MOST_ROWS + 1

    def write_block(self, rows: Iterable[list[str]]) -> bool:
        """Rows without an empty one among them; False where there are more than are read."""
        started, titled = False, False
        for row, following in pairwise(chain(rows, [[]])):
            self._left -= 1
            if self._left < 0:
                return False
            if not started and sum(map(bool, row)) < 2:
                self.flush()
                self._builder.paragraph(" ".join(filter(None, row)))
                titled = True
            elif not started and (not self._header or self._is_header(row, following, titled)):
                self._begin(row)
                started = True
            else:
                self._add(row)
                started = True
        return True

    def _is_header(self, row: Sequence[str], following: Sequence[str], titled: bool) -> bool:
        """Whether another table begins with a row below an empty one: words, and numbers under them or before."""
        numbers = [cell for cell in row if _NUMBER.fullmatch(cell)]
        words = not numbers or (len(numbers) > 1 and all(_YEAR.fullmatch(cell) for cell in numbers))
        return words and bool(following) and (titled or self._counts or _has_number(following))

    def _begin(self, header: list[str]) -> None:
        self.flush()
        self._header, self._bare, self._counts = header, True, False

    def _add(self, row: list[str]) -> None:
        self._counts = self._counts or _has_number(row)
        if sum(map(len, self._header)) > _WIDE:
            self._builder.paragraph("\n".join(_fields(self._header, row)))
            self._bare = False
            return
        length = sum(map(len, row)) + 3 * len(row)
        if self._rows and self._size + length > _TABLE_CHARACTERS:
            self.flush()
        if not self._rows:
            self._size = sum(map(len, self._header))
        self._rows.append(row)
        self._size += length

    def flush(self) -> None:
        if self._rows or self._bare:
            self._builder.table([self._header, *self._rows])
        self._rows, self._bare = [], False


def _has_number(row: Sequence[str]) -> bool:
    return any(map(_NUMBER.fullmatch, row))


def _cleaned(rows: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    for row in rows:
        cells = [one_line(value)[:_LONGEST_CELL] for value in row[:MOST_COLUMNS]]
        while cells and not cells[-1]:
            cells.pop()
        yield cells


def _fields(header: Sequence[str], row: Sequence[str]) -> list[str]:
    """A row of a wide table as a record."""
    names = [*header, *[""] * (len(row) - len(header))]
    return [f"{name}: {value}" if name else value for name, value in zip(names, row, strict=False) if value]


CONVERTER = "csv-3"
_DELIMITERS = ",;\t|"
_SAMPLE = 20  # lines


def read_delimited(name: str, data: bytes, settings: ConversionSettings) -> Converted:
    text = data.decode("utf-8", "replace")
    csv.field_size_limit(min(sys.maxsize, 10_000_000))
    builder = TextBuilder()
    try:
        write_rows(builder, csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(name, text)))
    except TooLong:
        pass
    except csv.Error as error:
        builder.warnings.append(f"read up to a row that is not CSV: {error}")
    return builder.converted(CONVERTER)


def _delimiter(name: str, text: str) -> str:
    """The one that divides the first lines into the same number of cells, and into most."""
    if name.lower().endswith((".tsv", ".tab")):
        return "\t"
    lines = [line for line in text[:100_000].split("\n")[:_SAMPLE] if line.strip()]

    def evenly(delimiter: str) -> tuple[int, int]:
        counts = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        usual = max(set(counts), key=counts.count) if counts else 1
        return (counts.count(usual) * (usual > 1), usual)

    return max(_DELIMITERS, key=evenly) if lines else ","
