"""Expands a word by the compounds it is part of and by its own parts, judged by the words a library has.

    datenbank   datenbankverbind, vektordatenbank     where Verbindung and Vektor occur too
    datenbankverbind   datenbank, verbind

Both ways a part counts only if what is left of the compound is a word as well: `art` is no part of `garten`. A long
word says enough by itself: `datenbank` begins `datenbanksicherung` in a library that has no other `sicherung`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from octavo.algorithms.text.stemming import Stem

_LEAST_PART = 4
_LEAST_REST = 3
_LONG_PART, _LONG_REST = 6, 4
"""From here on a word at the start or the end of another is a part of it, though nobody wrote the rest alone: what is
shorter may be a prefix, as in `versicherung`, which is no `sicherung`."""
_LINKS = ("s", "es", "n", "en", "er", "e")  # Arbeitszimmer, Tagesordnung, Blumentopf


class Compounds:
    """The stems of one language that a library has, in the order that makes searching inside them fast."""

    def __init__(self, stems: Iterable[str], stem: Stem) -> None:
        self._known = frozenset(stems)
        self._text = "\n" + "\n".join(sorted(self._known)) + "\n"
        self._stem = stem

    def of(self, word: str, most: int) -> list[str]:
        """Compounds that have this stem for a part, the shortest first, then the parts that it has itself."""
        if len(word) < _LEAST_PART:
            return []
        compounds = sorted({*self._containing(word)}, key=lambda compound: (len(compound), compound))
        return [*self._parts(word), *compounds][:most]

    def _containing(self, word: str) -> Iterator[str]:
        at = self._text.find(word)
        while at >= 0:
            start, end = self._text.rfind("\n", 0, at) + 1, self._text.find("\n", at)
            compound = self._text[start:end]
            before, after = compound[: at - start], compound[at - start + len(word) :]
            if compound != word and (_is_long_part(word, before, after) or self._is_compound(before, after)):
                yield compound
            at = self._text.find(word, end)

    def _is_compound(self, before: str, after: str) -> bool:
        return (not before or self._word(before) != "") and (not after or self._word_after(after) != "")

    def _parts(self, word: str) -> list[str]:
        for cut in range(len(word) - _LEAST_PART, _LEAST_PART - 1, -1):
            if (last := self._word(word[cut:])) and (first := self._word(word[:cut])):
                return [first, last]
        return []

    def _word_after(self, rest: str) -> str:
        """A word behind a part, perhaps with the part's link in front of it."""
        unlinked = (rest.removeprefix(link) for link in _LINKS if rest.startswith(link))
        return next(filter(None, map(self._word, (rest, *unlinked))), "")

    def _word(self, part: str) -> str:
        """The stem that a part of a compound has by itself; empty if it is no word of the library."""
        if len(part) < _LEAST_REST:
            return ""
        unlinked = (part.removesuffix(link) for link in _LINKS if part.endswith(link) and len(part) > len(link) + 2)
        candidates = (form for written in (part, *unlinked) for form in (written, self._stem(written)))
        return next((form for form in candidates if form in self._known), "")


def _is_long_part(word: str, before: str, after: str) -> bool:
    return len(word) >= _LONG_PART and (not before or not after) and len(before or after) >= _LONG_REST
