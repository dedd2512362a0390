"""What a cell of a sheet shows: numbers without the noise of binary fractions, per cent, dates as dates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta

from octavo.lazy_regex import regex

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
