"""Which of many short texts occur in the long words of a text, found in one pass over its bytes."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from octavo.algorithms.compiled.word_table import address, encoded

if TYPE_CHECKING:
    from ctypes import CDLL


class CompiledHints:
    """At most 255 hints, of two characters and more."""

    def __init__(self, library: CDLL, hints: Sequence[str]) -> None:
        self._find = library.octavo_hints_find
        self._order = sorted(range(len(hints)), key=lambda number: hints[number].encode())
        in_order = [hints[number] for number in self._order]
        self._hints, self._ends = encoded(in_order)
        pairs = bytearray(1 << 16)
        for place, hint in reversed([*enumerate(in_order, start=1)]):
            pairs[int.from_bytes(hint.encode()[:2], "big")] = place
        self._pairs = bytes(pairs)

    def occurring(self, text: str, least: int) -> list[int]:
        """The numbers of those that words of so many characters hold; perhaps of some that shorter words hold."""
        data = text.encode("utf-8", "surrogatepass")
        count = len(self._order)
        occurs = array("B", bytes(count))
        if not self._find(
            data, len(data), least, self._hints, address(self._ends), count, self._pairs, address(occurs)
        ):
            return []
        return sorted(number for number, found in zip(self._order, occurs, strict=True) if found)
