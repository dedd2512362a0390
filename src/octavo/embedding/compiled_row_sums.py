"""The weighted sums of a token table's rows, in C: the same numbers, to the bit, as `static_token_table` adds up."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from ctypes import CDLL, Structure, byref, c_int32, c_int64, c_void_p
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.compiled.word_table import NUMBERS, address
from octavo.embedding.bpe import ID_BYTES, IDS


class _TokenRows(Structure):
    """As the struct of this name in `word_tables.c`."""

    _fields_ = (
        *((name, c_void_p) for name in ("rows", "scales", "raised")),
        *((name, c_int64) for name in ("size", "dimensions", "raised_count")),
        *((name, c_int32) for name in ("start", "end", "lead", "lead_count")),
    )


class CompiledRowSums:
    """`raised` has small whole numbers raised to the table's power; the first `leading` tokens count `lead` times;
    `decode` puts the rows of tokens in place."""

    def __init__(
        self,
        library: CDLL,
        rows: NDArray[np.int8],
        scales: NDArray[np.float32],
        raised: NDArray[np.float32],
        leading: int,
        lead: int,
        decode: Callable[[NDArray[np.signedinteger[Any]]], None],
    ) -> None:
        self._sum, self._decode, self._lead = library.octavo_rows_sum, decode, (leading, lead - 1)
        self._arrays = rows, np.ascontiguousarray(scales), np.ascontiguousarray(raised)
        self._decoded = set[int]()

    def summed(self, packed: Sequence[bytes], start: int, end: int) -> NDArray[np.float32] | None:
        """The sum of each text; None where a token has no row or occurs more often than there are numbers raised."""
        rows, _, raised = self._arrays
        if not rows.flags.c_contiguous or not rows.flags.aligned:
            return None
        joined = b"".join(packed)
        ends = array(NUMBERS, accumulate(len(ids) // ID_BYTES for ids in packed))
        ids = np.frombuffer(joined, IDS)
        if ids.max(initial=0) >= len(rows) or max(start, end) >= len(rows):
            return None
        if not self._decoded.issuperset((start, end)):
            self._decode(np.array([start, end], np.intc))
            self._decoded.update((start, end))
        self._decode(ids)
        places = [array_.ctypes.data for array_ in self._arrays]
        table = _TokenRows(*places, *rows.shape, len(raised), start, end, *self._lead)
        counts, present = np.zeros(len(rows), np.int32), np.zeros(len(rows) // 64 + 1, np.uint64)
        sums = np.empty((len(packed), rows.shape[1]), np.float32)
        outcome = self._sum(
            byref(table), joined, address(ends), len(packed), counts.ctypes.data, present.ctypes.data, sums.ctypes.data
        )
        return None if outcome else sums
