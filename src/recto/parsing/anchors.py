"""Anchors as GitHub makes them from headings: `## Read me!` is `#read-me`, the second one `#read-me-1`."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_DROPPED = re.compile(r"[^\w\- ]")


@lru_cache(maxsize=4096)
def slug(title: str) -> str:
    """The anchor of a title that is the only one of its kind."""
    lowered = title.lower()
    if lowered.isascii():
        return _DROPPED.sub("", lowered).replace(" ", "-")
    # Combining marks are part of a word in many scripts, though no letters themselves.
    return _DROPPED.sub(lambda m: m[0] if unicodedata.category(m[0])[0] == "M" else "", lowered).replace(" ", "-")


class Anchors:
    """Hands out anchors, each once."""

    __slots__ = ("_given",)

    def __init__(self) -> None:
        # The root section has the empty anchor.
        self._given: dict[str, int] = {"": 0}

    def take(self, title: str) -> str:
        given = self._given
        wanted = anchor = slug(title)
        if anchor in given:
            count = given[wanted]
            while anchor in given:
                count += 1
                anchor = f"{wanted}-{count}"
            given[wanted] = count
        given[anchor] = 0
        return anchor
