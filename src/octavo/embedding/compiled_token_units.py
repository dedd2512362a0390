"""Units of byte-level BPE in a compiled word table: what `embedding.bpe` finds in its dictionaries, found in C."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from octavo.algorithms.compiled.library_loading import IN_UNITS
from octavo.algorithms.compiled.word_table import WordTable

if TYPE_CHECKING:
    from ctypes import CDLL

_ID_BYTES = array("i").itemsize

Cut = Callable[[str, bool], list[str] | None]
"""A unit, and whether it is the first of its text → its pre-tokens; None where the whole text must be looked at."""


class CompiledTokenUnits:
    """`tokens` are those of the vocabulary as bytes, in the order of their ranks."""

    def __init__(self, library: CDLL, tokens: Sequence[bytes], cut: Cut) -> None:
        self._cut = cut
        self._units = WordTable(library, self._values)
        self._units.merge_by(tokens)

    def counts(self, texts: Sequence[str]) -> list[int]:
        """As `BpeCounter.counts`: the tokens of the words, each behind a blank."""
        starts, at = [0], 0
        for text in texts:
            starts.append(at := at + len(text) + 1)
        sizes = self._units.measured(" ".join(texts), starts[:-1], [start - 1 for start in starts[1:]])
        return [size // _ID_BYTES for size in sizes]

    def words(self, text: str) -> list[tuple[int, int]]:
        """As `BpeCounter.words`."""
        return [(end, size // _ID_BYTES) for end, size in self._units.each(text)]

    def packed(self, texts: Sequence[str]) -> list[bytes | None]:
        return self._units.rewritten(texts, IN_UNITS)

    def _values(self, units: Sequence[tuple[str, bool]]) -> list[bytes | None]:
        cuts = [self._cut(unit, first) for unit, first in units]
        merged = iter(self._units.merged([pretoken for cut in cuts if cut for pretoken in cut]))
        return [None if cut is None else b"".join(islice(merged, len(cut))) for cut in cuts]
