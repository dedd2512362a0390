"""Finds the known words spelled most like an unknown one, by shared trigrams or by edit distance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.text.text_similarity import edits

_BITS = 21  # of a code point: three make one integer, exactly
_TO_LAST = 2


class Vocabulary:
    """Words that are told apart by their trigrams. The first question looks through all of them, which takes a fraction
    of what sorting them into an index does; most processes ask no second one."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = sorted(set(words))
        marked = [f"\2\2{word}\3" for word in self._words]
        self._lengths = np.fromiter(map(len, marked), dtype=np.int64, count=len(marked))
        self._codes = _codes("".join(marked))
        self._asked = False

    def similar(self, word: str, limit: int) -> list[str]:
        """The words that share most trigrams with this one, by Jaccard, equals in order; none that shares nothing."""
        codes = np.unique(_codes(f"\2\2{word}\3"))
        trigrams = self._index if self._asked else self._sharing(codes)
        self._asked = True
        places, shared = np.unique(trigrams.owners_of(codes), return_counts=True)
        likeness = shared / (len(codes) + trigrams.sizes[places] - shared)
        best = np.lexsort((places, -likeness))[:limit]
        return [self._words[place] for place in places[best].tolist()]

    @cached_property
    def _index(self) -> _Trigrams:
        """Of all words: a second or two for 300,000."""
        return self._trigrams(np.arange(len(self._words)))

    def _sharing(self, codes: NDArray[np.int64]) -> _Trigrams:
        """Of the words that have one of these codes, which are few; some have it across the start of the next word."""
        found = np.zeros(len(self._codes), dtype=bool)
        for code in codes.tolist():
            found |= self._codes == code
        owners = np.searchsorted(np.cumsum(self._lengths), np.flatnonzero(found), side="right")
        return self._trigrams(np.unique(owners))

    def _trigrams(self, places: NDArray[Any]) -> _Trigrams:
        # A trigram starts anywhere but on the last two characters of a word.
        lengths = self._lengths[places] - _TO_LAST
        starts = (np.cumsum(self._lengths) - self._lengths)[places] - np.cumsum(lengths) + lengths
        owners = np.repeat(places.astype(np.int32), lengths)
        codes = self._codes[np.repeat(starts, lengths) + np.arange(len(owners))]
        order = np.argsort(codes, kind="stable")
        codes, owners = codes[order], owners[order]
        distinct = np.ones(len(codes), dtype=bool)
        distinct[1:] = (codes[1:] != codes[:-1]) | (owners[1:] != owners[:-1])
        owners = owners[distinct]
        return _Trigrams(codes[distinct], owners, np.bincount(owners, minlength=len(self._words)))


class _Trigrams(NamedTuple):
    """Each different trigram of each word, by its code; and how many each word has."""

    codes: NDArray[np.int64]
    owners: NDArray[np.int32]
    sizes: NDArray[Any]

    def owners_of(self, codes: NDArray[np.int64]) -> NDArray[np.int32]:
        left = np.searchsorted(self.codes, codes, side="left")
        right = np.searchsorted(self.codes, codes, side="right")
        owners: NDArray[np.int32] = np.concatenate(
            [self.owners[start:end] for start, end in zip(left, right, strict=True)]
        )
        return owners


def nearest_spelling(word: str, words: Sequence[str], most: int) -> str | None:
    """The word with the fewest edits, at most `most`; of equals the first.

    >>> nearest_spelling("reciev", ["recip", "receiv", "relev"], 2)
    'receiv'
    """
    counted = [(count, place) for place, known in enumerate(words) if (count := edits(word, known, most)) is not None]
    return words[min(counted)[1]] if counted else None


def _codes(text: str) -> NDArray[np.int64]:
    """Every three characters in a row as one number."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)
    codes: NDArray[np.int64] = (points[:-2] << 2 * _BITS) | (points[1:-1] << _BITS) | points[2:]
    return codes
