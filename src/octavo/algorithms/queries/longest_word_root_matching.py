"""Finds for each word of a text the longest of given roots that it begins with, by lookups in a set."""

from __future__ import annotations

from octavo.lazy_regex import regex

_WORD = regex(r"[^\W_]+")


class WordStarts:
    """Roots of letters and digits, of which each word counts with the longest that it begins with.

    As an alternation of them at the start of a word would find them; compiling one takes longer than reading the
    passages of a page.

    >>> WordStarts(frozenset({"read", "reader", "book"})).findall("readers read bookish e-books, not misread ones")
    ['reader', 'read', 'book', 'book']
    """

    def __init__(self, roots: frozenset[str]) -> None:
        self._roots = roots
        self._lengths = sorted({*map(len, roots)}, reverse=True)

    def findall(self, text: str, /) -> list[str]:
        words = _WORD.findall(text)
        starts = {word: self._start(word) for word in {*words}}
        return [start for word in words if (start := starts[word])]

    def _start(self, word: str) -> str:
        return next((word[:length] for length in self._lengths if word[:length] in self._roots), "")
