"""A vocabulary that can be asked for words like one that is not in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.text_similarity import edits

_BITS = 21  # of a code point: three make one integer, exactly
_TO_LAST = 2


class Vocabulary:
    """Words and an index of their trigrams. Building is a few passes over arrays: a second or two for 300,000 words."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = sorted(set(words))
        marked = [f"\2\2{word}\3" for word in self._words]
        lengths = np.fromiter(map(len, marked), dtype=np.int64, count=len(marked))
        codes = _codes("".join(marked))
        owners = np.repeat(np.arange(len(marked), dtype=np.int32), lengths)
        # A trigram starts anywhere but on the last two characters of a word.
        ends = np.repeat(np.cumsum(lengths), lengths)
        inside = np.flatnonzero(np.arange(len(owners)) < ends - _TO_LAST)
        codes, owners = codes[inside[inside < len(codes)]], owners[inside]
        order = np.argsort(codes, kind="stable")
        codes, owners = codes[order], owners[order]
        distinct = np.ones(len(codes), dtype=bool)
        distinct[1:] = (codes[1:] != codes[:-1]) | (owners[1:] != owners[:-1])
        self._codes, self._owners = codes[distinct], owners[distinct]
        self._sizes = np.bincount(self._owners, minlength=len(self._words))

    def similar(self, word: str, limit: int) -> list[str]:
        """The words that share most trigrams with this one, by Jaccard, equals in order; none that shares nothing."""
        codes = np.unique(_codes(f"\2\2{word}\3"))
        left = np.searchsorted(self._codes, codes, side="left")
        right = np.searchsorted(self._codes, codes, side="right")
        owners = np.concatenate([self._owners[start:end] for start, end in zip(left, right, strict=True)])
        places, shared = np.unique(owners, return_counts=True)
        likeness = shared / (len(codes) + self._sizes[places] - shared)
        best = np.lexsort((places, -likeness))[:limit]
        return [self._words[place] for place in places[best].tolist()]


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
