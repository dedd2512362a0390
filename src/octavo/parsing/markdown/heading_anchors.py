"""Heading anchors as GitHub makes them: `## Read me!` is `#read-me`, the second one `#read-me-1`.

One that a heading gives itself, as in `## Read me! {#first}`, is taken as it is.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from octavo.lazy_regex import regex

_DROPPED = regex(r"[^\w\- ]")


@lru_cache(maxsize=4096)
def slug(title: str) -> str:
    """The anchor of a title that occurs once."""
    lowered = title.lower()
    if lowered.isascii():
        return _DROPPED.sub("", lowered).replace(" ", "-")
    # Combining marks are part of a word in many scripts, though they are not letters.
    return _DROPPED.sub(lambda m: m[0] if unicodedata.category(m[0])[0] == "M" else "", lowered).replace(" ", "-")


class Anchors:
    """Assigns anchors, each once."""

    __slots__ = ("_taken",)

    def __init__(self) -> None:
        # The root section has the empty anchor.
        self._taken: dict[str, int] = {"": 0}

    def take(self, title: str, given: str = "") -> str:
        taken = self._taken
        if given:
            taken.setdefault(given, 0)
            return given
        name = anchor = slug(title)
        if anchor in taken:
            count = taken[name]
            while anchor in taken:
                count += 1
                anchor = f"{name}-{count}"
            taken[name] = count
        taken[anchor] = 0
        return anchor
