"""Parses ISO times and ages such as `7d`, and formats timestamps and durations for answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from octavo.errors import InvalidArgument
from octavo.lazy_regex import regex

_AGE = regex(r"^(\d+)\s*(h|d|w|m|y)$")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)  # what is older than that is as old


def moment(text: str | None, now: datetime) -> float | None:
    """`2024-05-01`, `2024-05-01T12:00:00+02:00` or an age: `36h`, `7d`, `2w`, `3m`, `1y`. UTC when unsaid."""
    if text is None:
        return None
    age = _AGE.match(text.strip())
    if age:
        hours = min(int(age[1]) * _HOURS[age[2]], (now - _EARLIEST) // timedelta(hours=1))
        return (now - timedelta(hours=hours)).timestamp()
    try:
        parsed = datetime.fromisoformat(text.strip())
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise InvalidArgument(
            f"{text!r} is not a time", hint="write 2024-05-01, a full ISO time, or 7d", details={"value": text}
        ) from None


def when(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="seconds")


def age(seconds: int) -> str:
    """`40 s`, `3 min`, `2 h`, `5 d`."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
