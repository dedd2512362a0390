"""A cache of the tokens of each word, emptied when it is full: words come again, and data does not."""

from __future__ import annotations

from typing import TypeVar

_Text = TypeVar("_Text", str, bytes)
_Made = TypeVar("_Made")

MAX_WORDS = 200_000  # entries of each cache, about 40 MB when full
_MAX_CACHED = 128  # characters; longer words are data, which does not come again


class WordTokenCache(dict[_Text, _Made]):
    """Remembers what was made of each text that may come again, and forgets everything when it is full."""

    __slots__ = ()

    def make(self, text: _Text) -> _Made:
        raise NotImplementedError

    def __missing__(self, text: _Text) -> _Made:
        found = self.make(text)
        if len(text) <= _MAX_CACHED:
            if len(self) >= MAX_WORDS:
                self.clear()
            self[text] = found
        return found
