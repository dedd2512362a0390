"""Quantised vectors in shards: a bit for each dimension to find candidates with, half precision to score them exactly.

The sign of each dimension is one bit; the distance between codes is the number of bits that differ. Codes of all shards
lie together in memory, 48 bytes for 384 dimensions; the vectors themselves stay in their files, mapped into memory by
the shards that were looked into last.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recto.algorithms.nearest import best_of_each, distinct, top
from recto.errors import DamagedSnapshot
from recto.model.ids import ChunkKey
from recto.model.snapshot import Windows
from recto.snapshots.approximate import Approximate
from recto.snapshots.arrays import open_arrays, write_arrays

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 1 << 14  # codes compared at once: what stays in a core's cache
_ROWS = 128  # vectors made whole at once, for the same reason
_LEAST = 1_600  # candidates scored exactly; on real vectors these hold .999 of the best ten
_PER_WANTED = 16
_ONE_IN = 500
_HALF_LEAVES = 16  # times as many rows are kept by half of their codes; on real vectors nothing is lost by that
_WORDS_IN_A_BYTE = 3
_ALL_BELOW = 4_000  # so few admitted rows are scored outright


def codes(matrix: NDArray[Any]) -> NDArray[np.uint64]:
    """One column of words for each row of the matrix, a bit for each dimension, set where it is positive."""
    import numpy as np

    packed = np.packbits(matrix > 0, axis=1)
    width = -(-packed.shape[1] // 8) * 8
    padded = np.zeros((len(packed), width), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(padded.view("<u8").T)


def save_shard(path: Path, windows: Windows) -> None:
    write_arrays(
        path,
        {
            "chunks": windows.chunks,
            "inputs": windows.inputs,
            "tiers": windows.tiers,
            "codes": codes(windows.matrix),
            "matrix": windows.matrix,
        },
    )


def open_shard(path: Path) -> tuple[Windows, NDArray[np.uint64]]:
    arrays = open_arrays(path)
    try:
        bits = arrays.pop("codes")
        windows = Windows(**arrays)
        rows = len(windows)
        if not (len(windows.inputs) == len(windows.tiers) == len(windows.matrix) == bits.shape[1] == rows):
            raise ValueError("its parts do not fit together")
    except (TypeError, ValueError, KeyError, IndexError) as error:
        raise DamagedSnapshot(
            f"{path} is not a vector shard: {error}", hint="run `recto snapshot build` to make it anew"
        ) from error
    return windows, bits


@dataclass(slots=True)
class Shards:
    """All shards of a snapshot, searched as one. Rows are numbered through, shard after shard."""

    paths: Sequence[Path]
    most_open: int
    approximate: Approximate | None = None
    """Finds candidates instead of the codes, where the snapshot was made with such an index."""
    chunks: NDArray[np.int64] = field(init=False)
    tiers: NDArray[np.uint8] = field(init=False)
    fast: bool = field(init=False)
    """Whether any of the vectors is a fast one."""
    _codes: NDArray[np.uint64] = field(init=False)
    _firsts: NDArray[np.int64] = field(init=False)
    _sorted: tuple[NDArray[np.int64], NDArray[np.int64]] | None = field(init=False, default=None)
    _open: OrderedDict[int, NDArray[np.float16]] = field(init=False, default_factory=OrderedDict)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        import numpy as np

        opened = [open_shard(path) for path in self.paths]
        lengths = [len(windows) for windows, _ in opened]
        self._firsts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self.chunks = _joined([windows.chunks for windows, _ in opened], np.int64)
        self.tiers = _joined([windows.tiers for windows, _ in opened], np.uint8)
        self.fast = bool(self.tiers.any())
        self._codes = np.concatenate([bits for _, bits in opened], axis=1) if opened else np.zeros((0, 0), np.uint64)
        for number, (windows, _) in enumerate(opened[: self.most_open]):
            self._open[number] = windows.matrix

    def __len__(self) -> int:
        return len(self.chunks)

    def search(
        self,
        vector: NDArray[np.float32],
        limit: int,
        admitted: NDArray[np.bool_] | None = None,
        within: Sequence[int] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The nearest chunks with their cosines, best first. `admitted` says of each row whether it may be found.

        `within` are the places of the only shards to look into.
        """
        import numpy as np

        if not len(self):
            return self.chunks[:0], np.zeros(0, dtype=np.float32)
        if within is not None:
            admitted = self._inside(within, admitted)
        wanted = max(_LEAST, _PER_WANTED * limit, len(self) // _ONE_IN)
        if admitted is not None and (few := int(admitted.sum())) <= max(wanted, _ALL_BELOW):
            rows = np.flatnonzero(admitted) if few else np.zeros(0, dtype=np.int64)
        else:
            rows = self._candidates(vector, wanted, limit, admitted, within)
        return top(*self._best(vector, rows), limit)

    def _candidates(
        self,
        vector: NDArray[np.float32],
        wanted: int,
        limit: int,
        admitted: NDArray[np.bool_] | None,
        within: Sequence[int] | None,
    ) -> NDArray[np.int64]:
        if self.approximate is not None:
            rows = self.approximate.near(vector, wanted, self._firsts, admitted, within)
            # An index looks into some of its cells; where these hold too few that are admitted, the codes know more.
            if len(rows) >= limit:
                return rows
        return self._near(codes(vector[None])[:, 0], wanted, admitted, within)

    def score(
        self, vector: NDArray[np.float32], keys: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Exact cosines of those of the chunks that are here."""
        return self._best(vector, self.rows_of(keys))

    def rows_of(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of all windows of these chunks, ascending."""
        import numpy as np

        if self._sorted is None:
            order = np.argsort(self.chunks, kind="stable")
            self._sorted = order, self.chunks[order]
        order, ascending = self._sorted
        wanted = distinct(keys)
        left = np.searchsorted(ascending, wanted)
        held = np.searchsorted(ascending, wanted, side="right") - left
        places = np.repeat(left - (np.cumsum(held) - held), held) + np.arange(held.sum())
        return np.sort(order[places])

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of these rows, which ascend."""
        import numpy as np

        found = np.empty((len(rows), self._dimensions()), dtype=np.float16)
        bounds = np.searchsorted(rows, self._firsts).tolist()
        for shard, (start, end) in enumerate(pairwise(bounds)):
            if end > start:
                self._matrix(shard).take(rows[start:end] - self._firsts[shard], axis=0, out=found[start:end])
        return _whole(found)

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of each row, in which of the shards it is."""
        import numpy as np

        return np.searchsorted(self._firsts, rows, side="right") - 1

    def windows(self, shard: int) -> Windows:
        return open_shard(self.paths[shard])[0]

    def stretches(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Shard by shard: its number and its chunks."""
        for shard in range(len(self.paths)):
            yield shard, self.chunks[self._firsts[shard] : self._firsts[shard + 1]]

    def _best(
        self, vector: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        import numpy as np

        if not len(rows):
            return self.chunks[:0], np.zeros(0, dtype=np.float32)
        # Not `@`: for a few hundred kilobytes, waking the threads of a linear algebra library takes longer.
        return best_of_each(self.chunks[rows], np.einsum("ij,j->i", self.vectors(rows), vector))

    def _near(
        self,
        code: NDArray[np.uint64],
        wanted: int,
        admitted: NDArray[np.bool_] | None,
        within: Sequence[int] | None = None,
    ) -> NDArray[np.int64]:
        """Rows whose codes differ least from a code: at least `wanted`, and all that differ as little as the last.

        Half of each code is enough to leave most rows of a large library aside.
        """
        import numpy as np

        some = _HALF_LEAVES * wanted
        if len(self) <= 4 * some or len(code) < 2:
            return _least(self._away(code, len(code), within), wanted, admitted)
        half = len(code) // 2
        first = self._away(code, half, within)
        rows = _least(first, some, admitted)
        away = first[rows].astype(np.uint16)
        for word, bits in zip(self._codes[half:], code[half:], strict=True):
            away += np.bitwise_count(word[rows] ^ bits)
        return rows[_least(away, wanted, None)]

    def _away(self, code: NDArray[np.uint64], words: int, within: Sequence[int] | None) -> NDArray[Any]:
        """In how many bits of its first words each row differs; rows of other shards are not looked at."""
        import numpy as np

        # Three words differ in at most 192 bits, and adding bytes to bytes is faster than widening them.
        away = np.zeros(len(self), dtype=np.uint8 if words <= _WORDS_IN_A_BYTE else np.uint16)
        differ, count = np.empty(_BLOCK, dtype=np.uint64), np.empty(_BLOCK, dtype=np.uint8)
        for start, end in self._blocks(within):
            block = away[start:end]
            held = len(block)
            for word, bits in zip(self._codes[:words], code[:words], strict=True):
                np.bitwise_xor(word[start : start + held], bits, out=differ[:held])
                np.bitwise_count(differ[:held], out=count[:held])
                np.add(block, count[:held], out=block)
        return away

    def _blocks(self, within: Sequence[int] | None) -> Iterator[tuple[int, int]]:
        stretches = [(0, len(self))] if within is None else [self._firsts[one : one + 2].tolist() for one in within]
        for first, last in stretches:
            for start in range(first, last, _BLOCK):
                yield start, min(start + _BLOCK, last)

    def _inside(self, within: Sequence[int], admitted: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        import numpy as np

        inside = np.zeros(len(self), dtype=bool)
        for one in within:
            rows = slice(self._firsts[one], self._firsts[one + 1])
            inside[rows] = True if admitted is None else admitted[rows]
        return inside

    def _dimensions(self) -> int:
        return int(self._matrix(0).shape[1]) if len(self.paths) else 0

    def _matrix(self, shard: int) -> NDArray[np.float16]:
        if len(self.paths) <= self.most_open:
            return self._open[shard]  # all of them are, and none is ever closed
        with self._lock:
            found = self._open.pop(shard, None)
            if found is None:
                found = open_shard(self.paths[shard])[0].matrix
            self._open[shard] = found
            while len(self._open) > self.most_open:
                self._open.popitem(last=False)
            return found


def _whole(halves: NDArray[np.float16]) -> NDArray[np.float32]:
    """The same numbers in single precision, by moving their bits into place: twice as fast as a cast.

    The sign is spread over the bits above the exponent and masked; the power of two makes up for the other bias.
    """
    import numpy as np

    found = np.empty(halves.shape, dtype=np.float32)
    for start in range(0, len(halves), _ROWS):
        part = found[start : start + _ROWS]
        bits = part.view(np.int32)
        bits[...] = halves[start : start + _ROWS].view(np.int16)
        bits <<= 13
        bits &= np.int32(-0x70000001)
        part *= np.float32(2.0**112)
    return found


def _least(away: NDArray[Any], wanted: int, admitted: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    import numpy as np

    never = np.iinfo(away.dtype).max
    if admitted is not None:
        away[~admitted] = never
    if len(away) <= wanted:
        return np.flatnonzero(away < never)
    # Numbers of two bytes are parted by vector instructions where there are any, single bytes are not.
    last = int(np.partition(away.astype(np.uint16, copy=False), wanted)[wanted])
    return np.flatnonzero(away <= min(last, never - 1))


def vectors_by_chunk(chunks: NDArray[np.int64], vectors: NDArray[np.float32]) -> Iterator[tuple[ChunkKey, Any]]:
    """Each chunk with the rows that are its windows; equal chunks stand together."""
    import numpy as np

    if not len(chunks):
        return
    starts = np.flatnonzero(np.concatenate([[True], chunks[1:] != chunks[:-1]]))
    ends = np.append(starts[1:], len(chunks))
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        yield ChunkKey(int(chunks[start])), vectors[start:end]


def without(windows: Windows, chunks: NDArray[np.int64]) -> Windows:
    import numpy as np

    kept = ~np.isin(windows.chunks, chunks)
    return Windows(windows.chunks[kept], windows.inputs[kept], windows.tiers[kept], windows.matrix[kept])


def joined(*several: Windows) -> Windows:
    """All of them, chunks ascending and the windows of each in their order."""
    import numpy as np

    chunks = np.concatenate([one.chunks for one in several])
    order = np.argsort(chunks, kind="stable")
    return Windows(
        chunks[order],
        np.concatenate([one.inputs for one in several])[order],
        np.concatenate([one.tiers for one in several])[order],
        np.concatenate([one.matrix for one in several])[order],
    )


def _joined(parts: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:
    import numpy as np

    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)
