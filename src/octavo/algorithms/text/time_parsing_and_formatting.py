"""Parses ISO times, ages such as `7d` and words such as `last week`; formats timestamps and durations for answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from octavo.errors import InvalidArgument
from octavo.lazy_regex import regex

TIME_IN_WORDS = "today|yesterday|last (week|month|year)|([0-9]{1,4}|an?) (hour|day|week|month|year)s? ago"
TIME_FORMS = "2024-05-01, 2024-05, a full ISO time, 36h, 7d, 2w, 3m, 1y, yesterday, 2 weeks ago or last month"
_AGE = regex(r"^(\d+)\s*(h|d|w|m|y)$")
_IN_WORDS = regex(f"^(?:{TIME_IN_WORDS})$")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}
_DAYS_AGO = {"today": 0, "yesterday": 1}
_YEAR_OR_MONTH = regex(r"^\d{4}(?:-\d\d)?$")
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)  # what is older than that is as old


def moment(text: str | None, now: datetime) -> float | None:
    """`2024-05-01`, the start of `2024-05`, `2024-05-01T12:00:00+02:00`, an age (`36h`, `7d`, `2w`, `3m`, `1y`), or in
    words: the start of `today` or `yesterday`; `2 weeks ago`; `last month`, which is a month ago. UTC when unsaid."""
    if text is None:
        return None
    clean = " ".join(text.lower().split())
    if age := _AGE.match(clean):
        return _before(now, int(age[1]), age[2])
    if said := _IN_WORDS.match(clean):
        if clean in _DAYS_AGO:
            return _before(now.replace(hour=0, minute=0, second=0, microsecond=0), _DAYS_AGO[clean], "d")
        number, unit = said[2] or "1", said[1] or said[3]
        return _before(now, int(number) if number.isdigit() else 1, unit[0])
    try:
        day = f"{clean}-01-01"[: len("2024-05-01")] if _YEAR_OR_MONTH.match(clean) else text.strip()
        parsed = datetime.fromisoformat(day)
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise InvalidArgument(f"{text!r} is not a time", hint=f"write {TIME_FORMS}", details={"value": text}) from None


def _before(now: datetime, number: int, unit: str) -> float:
    hours = min(number * _HOURS[unit], (now - _EARLIEST) // timedelta(hours=1))
    return (now - timedelta(hours=hours)).timestamp()


def when(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="seconds")


def age(seconds: int) -> str:
    """`40 s`, `3 min`, `2 h`, `5 d`."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
