"""Binary codes of vectors and vectors in half precision, compared by numpy."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 14  # codes compared at once: what fits a core's cache
_ROWS = 256  # vectors converted at once, for the same reason
_SAMPLE = 2_000  # rows
_WORDS_IN_A_BYTE = 3
_EXPONENT_BIAS = np.float32(2.0**112)  # between half and single precision
CASTS_HALVES = platform.machine() in ("aarch64", "arm64")  # in an instruction, in a fifth of the time


def codes(matrix: NDArray[Any]) -> NDArray[np.uint64]:
    """One column of 64-bit words for each row of the matrix, a bit for each dimension, set where it is positive."""
    if matrix.dtype == np.float16:
        matrix = matrix.view(np.int16)  # of the same sign, and compared several times as fast
    packed = np.packbits(matrix > 0, axis=1)
    width = -(-packed.shape[1] // 8) * 8
    padded = np.zeros((len(packed), width), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(padded.view("<u8").T)


def nearest_codes(
    codes: NDArray[np.uint64],
    code: NDArray[np.uint64],
    half: int,
    preselected: int,
    wanted: int,
    admitted: NDArray[np.bool_] | None,
    blocks: Sequence[tuple[int, int]],
) -> NDArray[np.int64]:
    """Rows whose codes differ least from a code: at least `wanted`, and all ties with the last.

    The first `half` words choose `preselected` of them, unless it is 0. Only rows in `blocks` are compared.
    """
    if not half:
        return smallest(_hamming_distances(codes, code, blocks), wanted, admitted)
    first = _hamming_distances(codes[:half], code[:half], blocks)
    rows = smallest(first, preselected, admitted)
    differ = codes[half:].take(rows, axis=1, mode="clip")
    differ ^= code[half:, None]
    distances = np.add.reduce(np.bitwise_count(differ), axis=0, dtype=np.uint16)
    distances += first[rows]
    return rows[smallest(distances, wanted, None)]


def _hamming_distances(
    codes: NDArray[np.uint64], code: NDArray[np.uint64], blocks: Sequence[tuple[int, int]]
) -> NDArray[Any]:
    """The Hamming distance of each row; 0 of rows that are not compared."""
    words, rows = codes.shape
    # Three words differ in at most 192 bits, and adding bytes to bytes is faster than widening them.
    distances = np.zeros(rows, dtype=np.uint8 if words <= _WORDS_IN_A_BYTE else np.uint16)
    # In the same place block after block: memory that is new each time takes as long as comparing.
    differ, counts = np.empty((words, BLOCK), dtype=np.uint64), np.empty((words, BLOCK), dtype=np.uint8)
    for start, end in blocks:
        some = slice(end - start)
        np.bitwise_xor(codes[:, start:end], code[:, None], out=differ[:, some])
        np.bitwise_count(differ[:, some], out=counts[:, some])
        np.add.reduce(counts[:, some], axis=0, dtype=distances.dtype, out=distances[start:end])
    return distances


def smallest(distances: NDArray[Any], count: int, admitted: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    excluded, rows = np.iinfo(distances.dtype).max, len(distances)
    if admitted is not None:
        distances[~admitted] = excluded
        rows = int(np.count_nonzero(admitted))
    if rows <= count:
        return np.flatnonzero(distances < excluded)
    return np.flatnonzero(distances <= _bound(distances, count, count / rows))


def _bound(distances: NDArray[Any], count: int, share: float) -> int:
    """The least distance that more than so many rows are within: so large a share of those that are not excluded.

    A sample says about which it is; how many rows are within one is counted in a tenth of the time of a histogram.
    """
    sample = distances[:: max(1, len(distances) // _SAMPLE)]
    # Those that are excluded are far beyond the others: from there the way back would be long.
    sample = sample[sample < np.iinfo(distances.dtype).max]
    place = int(share * len(sample))
    bound = int(np.partition(sample, place)[place]) if len(sample) else 0
    while np.count_nonzero(distances <= bound) <= count:
        bound += 1
    while bound and np.count_nonzero(distances < bound) > count:
        bound -= 1
    return bound


def to_float32(halves: NDArray[np.float16]) -> NDArray[np.float32]:
    """Half precision to single precision by shifting bits: twice as fast as a cast where the processor has none."""
    if CASTS_HALVES:
        return halves.astype(np.float32)
    floats = np.empty(halves.shape, dtype=np.float32)
    for start in range(0, len(halves), _ROWS):
        _shift(halves[start : start + _ROWS], floats[start : start + _ROWS])
    floats *= _EXPONENT_BIAS
    return floats


def products(halves: NDArray[np.float16], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The products of each row with a vector, about. A few rows at a time are converted in one place, which stays in a
    core's cache; what they lack after their bits were shifted, the vector has in its place."""
    found, vector = np.empty(len(halves), dtype=np.float32), vector * _EXPONENT_BIAS
    floats = np.empty((_ROWS, len(vector)), dtype=np.float32)
    for start in range(0, len(halves), _ROWS):
        rows = halves[start : start + _ROWS]
        _shift(rows, floats[: len(rows)])
        np.vecdot(floats[: len(rows)], vector, out=found[start : start + _ROWS])
    return found


def _shift(halves: NDArray[np.float16], floats: NDArray[np.float32]) -> None:
    """Single precision but for the exponent bias. The sign is spread over the bits above the exponent and masked."""
    bits = floats.view(np.int32)
    bits[...] = halves.view(np.int16)
    bits <<= 13
    bits &= np.int32(-0x70000001)
