"""Numbers as values: digits, words, scales, ordinals, times of day and dates, each with the unit it counts in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_UNITS = {
    "percent": "% percent pct",
    "millimetre": "mm millimetre millimeter",
    "centimetre": "cm centimetre centimeter",
    "metre": "m metre meter",
    "kilometre": "km kilometre kilometer",
    "inch": "inch inches",
    "foot": "ft foot feet",
    "yard": "yd yard",
    "mile": "mi mile",
    "square foot": "sqft",
    "acre": "acre",
    "hectare": "ha hectare",
    "milligram": "mg milligram",
    "gram": "g gram gramme",
    "kilogram": "kg kilogram kilo",
    "tonne": "tonne ton",
    "pound": "lb lbs pound £",
    "ounce": "oz ounce",
    "nanosecond": "ns nanosecond",
    "microsecond": "µs us microsecond",
    "millisecond": "ms millisecond",
    "second": "s sec second",
    "minute": "min minute",
    "hour": "h hr hour",
    "day": "day",
    "week": "week",
    "month": "month",
    "year": "yr year",
    "decade": "decade",
    "century": "century centuries",
    "bit": "bit",
    "byte": "byte",
    "kilobyte": "kb kib kilobyte",
    "megabyte": "mb mib megabyte",
    "gigabyte": "gb gib gigabyte",
    "terabyte": "tb tib terabyte",
    "degree": "° degree",
    "celsius": "°c celsius",
    "fahrenheit": "°f fahrenheit",
    "kelvin": "kelvin",
    "watt": "w watt",
    "kilowatt": "kw kilowatt",
    "megawatt": "mw megawatt",
    "watt hour": "wh",
    "kilowatt hour": "kwh",
    "volt": "v volt",
    "ampere": "amp ampere",
    "hertz": "hz hertz",
    "kilohertz": "khz kilohertz",
    "megahertz": "mhz megahertz",
    "gigahertz": "ghz gigahertz",
    "millilitre": "ml millilitre milliliter",
    "litre": "l litre liter",
    "gallon": "gallon",
    "pixel": "px pixel",
    "megapixel": "megapixel",
    "dollar": "$ usd dollar",
    "euro": "€ eur euro",
    "cent": "cent",
    "time": "time",
}
UNITS = {spelling: unit for unit, spellings in _UNITS.items() for spelling in spellings.split()}
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
_DIGITS = re.compile(r"([-−+]?)(\d+(?:[.,]\d+)*)(st|nd|rd|th)?")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::\d{2})?")
_NOON = {"am": 0, "pm": 12}


class Quantity(NamedTuple):
    """A value, what it counts in, and the words that spell it."""

    value: float
    unit: str
    taken: int


def quantity(words: Sequence[str], at: int) -> Quantity | None:
    """The quantity that begins at a word, in lower case.

    >>> quantity(["two", "million", "light", "years"], 0), quantity(["17", "ms"], 0)
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
    clock = _NOON.get("".join(words[end : end + 2]).replace(".", "")[:2]) if end < len(words) else None
    if ":" in words[start] or (clock is not None and value <= 12):
        dots = 1 if clock is not None else 0
        minutes = value if ":" in words[start] else value * 60
        return Quantity((minutes % 720 if clock is not None else minutes) + 60 * (clock or 0), "clock", end - at + dots)
    if ordinal(words[start]) is not None:
        return Quantity(value, "ordinal", end - at)
    unit, taken = (before, 0) if before else _unit(words, end)
    return Quantity(value, unit, end - at + taken)


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
    while at < len(words) and (total is not None or words[at] != "dozen"):
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
