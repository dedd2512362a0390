"""Conditions on the properties of a document: the fields of its front matter, compared as a person means it.

status=draft          equal, without case and accents; of a list, one of its items
status!=draft         not equal, or not there
rating>=4             numbers by size
date<2025-03          dates by as much of them as is said: before March
done                  is there, and neither empty nor false
!done                 the contrary
author.name=Kim       a field inside another
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from octavo.algorithms.text.unicode_folding import fold
from octavo.lazy_regex import regex
from octavo.model.query import Comparison, PropertyCondition

_CONDITION = regex(r"\s*([^=<>!\s][^=<>!]*?)\s*(!=|>=|<=|==|=|>|<)\s*(.*?)\s*", re.DOTALL)
_PRESENCE = regex(r"\s*(!?)\s*([^=<>!\s][^=<>!]*?)\s*")
_NUMBER = regex(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_PART_OF_DATE = regex(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2}(?:[T ][0-9:.]{2,15}(?:Z|[+-][0-9:]{2,6})?)?)?)?")
_DATE = regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_LINK = regex(r"!?\[\[([^\[\]|#]+)[^\[\]]*\]\]")


def read_condition(text: str) -> PropertyCondition | None:
    """The condition that was typed; None where it is none.

    >>> read_condition("rating >= 4")
    PropertyCondition(name='rating', comparison='>=', value='4')
    """
    if match := _CONDITION.fullmatch(text):
        comparison: Comparison = "=" if match[2] == "==" else match[2]  # type: ignore[assignment]  # the pattern's
        return PropertyCondition(match[1], comparison, _bare(match[3]))
    if match := _PRESENCE.fullmatch(text):
        return PropertyCondition(match[2], "lacks" if match[1] else "has", "")
    return None


def meets(condition: PropertyCondition, properties: Mapping[str, Any]) -> bool:
    """Whether a document with these properties meets it."""
    values = list(_values(properties, condition.name))
    if condition.comparison in ("has", "lacks"):
        return any(_says_something(value) for value in values) is (condition.comparison == "has")
    if condition.comparison in ("=", "!="):
        expected = condition.value
        equal = any(_compared(value, expected) == 0 for value in values)
        if not expected:
            equal = equal or not any(_says_something(value) or value is False for value in values)
        return equal is (condition.comparison == "=")
    return any(_ordered(condition.comparison, _compared(value, condition.value)) for value in values)


def _values(properties: Mapping[str, Any], name: str) -> Iterator[Any]:
    """What a property holds, item by item; its name without case, or a path with dots into another."""
    lowered = name.lower()
    for key, value in properties.items():
        if key.lower() == lowered:
            yield from value if isinstance(value, list) else (value,)
        elif isinstance(value, dict) and lowered.startswith(f"{key.lower()}."):
            yield from _values(value, name[len(key) + 1 :])


def _says_something(value: Any) -> bool:
    return value not in (None, False, "", {})


def _ordered(comparison: str, order: int | None) -> bool:
    if order is None:
        return False
    return {">": order > 0, ">=": order >= 0, "<": order < 0, "<=": order <= 0}[comparison]


def _compared(value: Any, expected: str) -> int | None:
    """-1, 0 or 1 where the value is less, equal or more; None where the two cannot be compared."""
    if isinstance(value, bool):
        return 0 if str(value).lower() == expected.lower() else None
    if isinstance(value, int | float):
        return _sign(value, float(expected)) if _NUMBER.fullmatch(expected) else None
    if not isinstance(value, str):
        return None
    text = _bare(value)
    if _NUMBER.fullmatch(expected) and _NUMBER.fullmatch(text) and not _leads_with_zero(text, expected):
        return _sign(float(text), float(expected))
    if _PART_OF_DATE.fullmatch(expected) and _DATE.match(text):
        return _sign(text.replace(" ", "T")[: len(expected)], expected.replace(" ", "T"))
    order = _sign(_plain(text), _plain(expected))
    # A word is neither more nor less than a number.
    return order if order == 0 or not (_NUMBER.fullmatch(expected) or _NUMBER.fullmatch(text)) else None


def _leads_with_zero(*texts: str) -> bool:
    """007 is a code and no number."""
    return any(len(text) > 1 and text[0] == "0" and text[1] != "." for text in texts)


def _sign(mine: Any, theirs: Any) -> int:
    return int(mine > theirs) - int(mine < theirs)


def _bare(text: str) -> str:
    """Without quotes or the brackets of a wikilink around all of it."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    link = _LINK.fullmatch(text)
    return link[1].strip() if link else text


def _plain(text: str) -> str:
    return " ".join(text.lower().split() if text.isascii() else fold(text).casefold().split())
