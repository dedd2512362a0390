"""Numbers as values: digits, words, scales, ordinals, times of day and dates, each with the unit it counts in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from octavo.lazy_regex import regex

_SPELLINGS = """
    percent: % pct; millimetre: mm millimeter; centimetre: cm centimeter; metre: m meter;
    kilometre: km kilometer; inch: inches; foot: ft feet; yard: yd; mile: mi; square foot: sqft; acre:;
    hectare: ha; milligram: mg; gram: g gramme; kilogram: kg kilo; tonne: ton; pound: lb lbs £; ounce: oz;
    nanosecond: ns; microsecond: µs us; millisecond: ms; second: s sec; minute: min; hour: h hr; day:; week:;
    month:; year: yr; decade:; century: centuries; bit:; byte:; kilobyte: kb kib; megabyte: mb mib;
    gigabyte: gb gib; terabyte: tb tib; degree: °; celsius: °c; fahrenheit: °f; kelvin:; watt: w; kilowatt: kw;
    megawatt: mw; watt hour: wh; kilowatt hour: kwh; volt: v; ampere: amp; hertz: hz; kilohertz: khz;
    megahertz: mhz; gigahertz: ghz; millilitre: ml milliliter; litre: l liter; gallon:; pixel: px; megapixel:;
    dollar: $ usd; euro: € eur; cent:; time:
"""
_UNITS = {
    name.strip(): spellings.split() for name, _, spellings in (unit.partition(":") for unit in _SPELLINGS.split(";"))
}
UNITS = {spelling: unit for unit, spellings in _UNITS.items() for spelling in (unit, *spellings)}
UNITS |= {f"{spelling}s": unit for spelling, unit in UNITS.items() if len(spelling) > 2}

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL: dict[str, float] = {
    **{word: number for number, word in enumerate(f"{_ONES} seventeen eighteen nineteen".split())},
    **{word: 10 * number for number, word in enumerate(_TENS.split(), 2)},
}
ORDINALS = {word: number for number, word in enumerate(_ORDINALS.split())}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_LETTER_SCALES = {"k": 1e3, "bn": 1e9}
_COUNTED = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_DIGITS = regex(r"([-−+]?)(\d+(?:[.,]\d+)*)(st|nd|rd|th)?")
_CLOCK = regex(r"(\d{1,2}):(\d{2})(?::\d{2})?")
_NOON = {"am": 0, "pm": 12}


class Quantity(NamedTuple):
    """A value, its unit, and how many words spell it."""

    value: float
    unit: str
    taken: int


def quantity(words: Sequence[str], at: int) -> Quantity | None:
    """The quantity that begins at a word, in lower case.

    >>> quantity(["two", "million", "people"], 0), quantity(["17", "ms"], 0)
    (Quantity(value=2000000.0, unit='', taken=2), Quantity(value=17.0, unit='millisecond', taken=2))
    """
    if words[at] in _COUNTED:
        return Quantity(_COUNTED[words[at]], "time", 1)
    before = UNITS[words[at]] if words[at] in "$€£" else ""  # a currency stands in front
    start = at + 1 if before else at
    if start == len(words):
        return None
    value, end = _value(words, start)
    if value is None:
        return None
    half, spelled = _half_of_day(words, end)
    if ":" in words[start] or (spelled and value <= 12):
        minutes = value if ":" in words[start] else value * 60
        return Quantity(minutes % 720 + 60 * half if spelled else minutes, "clock", end - at + spelled)
    if ordinal(words[start]) is not None:
        return Quantity(value, "ordinal", end - at)
    unit, taken = (before, 0) if before else _unit(words, end)
    return Quantity(value, unit, end - at + taken)


def _half_of_day(words: Sequence[str], at: int) -> tuple[int, int]:
    """The hours that `pm` or `p.m.` adds, and how many words it is."""
    if at < len(words) and words[at] in _NOON:
        return _NOON[words[at]], 1
    spelled = "".join(words[at : at + 2])
    return (_NOON[spelled], 2) if spelled in _NOON else (0, 0)


def ordinal(word: str) -> float | None:
    return ORDINALS.get(word) if word.isalpha() else float(match[2]) if (match := _ordinal(word)) else None


def _ordinal(word: str) -> re.Match[str] | None:
    match = _DIGITS.fullmatch(word)
    return match if match and match[3] else None


def _value(words: Sequence[str], at: int) -> tuple[float | None, int]:
    clock = _CLOCK.fullmatch(words[at])
    if clock:
        return int(clock[1]) * 60.0 + int(clock[2]), at + 1
    digits = _DIGITS.fullmatch(words[at])
    total: float | None = None
    if digits:
        total, at = _plain(digits[2]) * (-1 if digits[1] in ("-", "−") else 1), at + 1
        if digits[3]:
            return total, at
    elif words[at] in ORDINALS:
        return float(ORDINALS[words[at]]), at + 1
    else:
        spelled = 0.0
        while at < len(words) and words[at] in _SMALL:
            spelled, at, total = spelled + _SMALL[words[at]], at + 1, spelled + _SMALL[words[at]]
    while at < len(words):
        scale = _SCALES.get(words[at]) or (_LETTER_SCALES.get(words[at]) if total is not None else None)
        if scale is None:
            break
        total, at = (1.0 if total is None else total) * scale, at + 1
        while at < len(words) and words[at] in _SMALL:
            total, at = total + _SMALL[words[at]], at + 1
    return total, at


def _unit(words: Sequence[str], at: int) -> tuple[str, int]:
    following = words[at] if at < len(words) else ""
    after = words[at + 1] if at + 1 < len(words) else ""
    if following == "per" and after == "cent":
        return "percent", 2
    if following == "square" and after in UNITS:
        return f"square {UNITS[after]}", 2
    if following in ("°", "degree", "degrees") and after in ("c", "f", "celsius", "fahrenheit"):
        return UNITS.get(f"°{after[0]}", ""), 2
    if following == "light" and after in ("year", "years"):
        return "light year", 2
    if following == "arc" and UNITS.get(after) in ("second", "minute"):
        return f"arc {UNITS[after]}", 2
    return (UNITS[following], 1) if following in UNITS else ("", 0)


def _plain(digits: str) -> float:
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        return float(digits.replace(",", ""))
    whole, _, part = digits.replace(",", ".").rpartition(".")
    return float(f"{whole.replace('.', '')}.{part}" if whole else part)
