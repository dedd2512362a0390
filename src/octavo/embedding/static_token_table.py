"""The token table of a static embedder: rows, decoded on first use, are weighted and summed into vectors."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from ctypes import CDLL, Structure, byref, c_int32, c_int64, c_void_p
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.compiled.library_loading import compiled_library
from octavo.algorithms.compiled.word_table import NUMBERS, address
from octavo.embedding.bpe import ID_BYTES, IDS, BpeCounter
from octavo.embedding.model_folder import ModelDirectory
from octavo.embedding.token_counters import WordPieceCounter
from octavo.errors import ModelUnavailable


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


TABLE = "table.npz"

LEAD = 24
"""How many tokens are among the first, the one that opens every text included."""

_TEXTS = 192  # counted together: enough that numpy is asked seldom, few enough to stay in the cache
_COMPILED_FROM = 8  # texts: a question is one
_RAISED = 1024  # counts below this are raised once and looked up


def read_table(directory: ModelDirectory, power: float, lead: float) -> TokenTable:
    """The table of a model's folder, which must have the dimensions that `model.json` says."""
    path, dimensions = directory.file(TABLE), directory.profile.dimensions
    try:
        with np.load(path, allow_pickle=False) as archive:
            table = TokenTable(archive, power, lead)
    except (OSError, ValueError, KeyError) as error:
        raise ModelUnavailable(f"{path} is not a table: {error}", hint=directory.remedy) from error
    if table.rows.dtype != np.int8 or table.rows.shape != (len(table.scales), dimensions):
        raise ModelUnavailable(
            f"{path} has rows of shape {table.rows.shape}, but model.json says {dimensions} dimensions",
            hint=directory.remedy,
        )
    return table


class TokenTable:
    """`decoded` says which rows are there already: decoding all takes longer than a small library's texts do."""

    def __init__(self, archive: Mapping[str, NDArray[Any]], power: float, lead: float) -> None:
        self._power, self._lead = power, lead
        self.scales = archive["scales"].astype(np.float32)
        if "codes" in archive:
            self._codes: NDArray[np.uint8] = archive["codes"]
            self._centroids: NDArray[np.int8] = archive["centroids"]
            self.rows = np.empty((self._codes.shape[1], len(self._codes) * self._centroids.shape[2]), np.int8)
            self._decoded = np.zeros(len(self.scales), np.bool_)
        else:
            self.rows = archive["rows"]
            self._decoded = np.ones(len(self.scales), np.bool_)

    def embed(self, texts: Sequence[str], counter: WordPieceCounter | BpeCounter) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.rows.shape[1]), np.float32)
        for start in range(0, len(texts), _TEXTS):
            some = texts[start : start + _TEXTS]
            vectors[start : start + len(some)] = self._summed(some, counter)
        return vectors

    def _summed(self, texts: Sequence[str], counter: WordPieceCounter | BpeCounter) -> NDArray[np.float32]:
        """Tokens are counted for all texts at once, rows are added up text by text: a text has so few of the tokens
        of its neighbours that one product of matrices would mostly multiply by zero, and would wake the threads of a
        linear algebra library for it."""
        size, several = len(self.rows), len(texts)
        packed = counter.packed(texts)
        if (
            several >= _COMPILED_FROM
            and self.row_sums is not None
            and (summed := self.row_sums.summed(packed, counter.start, counter.end)) is not None
        ):
            return _of_length_one(summed)
        bags, whose = _joined(packed)
        opening, closing = (array(IDS, (token,)).tobytes() for token in (counter.start, counter.end))
        # The tokens of a text that count for more, of which the one that opens every text is one.
        first, leads = _joined([(opening + ids + closing)[: LEAD * ID_BYTES] for ids in packed])
        # A cell is a token of a text, numbered so that a text's cells lie together.
        around = np.arange(0, several * size, size)
        every = np.concatenate([whose * size + bags, around + counter.start, around + counter.end])
        every.sort()
        starts = np.flatnonzero(np.diff(every, prepend=-1))
        cells = every[starts]
        counts = np.diff(starts, append=len(every))
        leading = np.bincount(np.searchsorted(cells, leads * size + first), minlength=len(cells))
        bounds = np.searchsorted(cells, np.arange(0, (several + 1) * size, size))
        tokens = cells % size
        self._decode(tokens)
        weights = self._raised(counts + leading * (self._lead - 1))
        weights *= self.scales[tokens]
        vectors = np.empty((len(texts), self.rows.shape[1]), np.float32)
        for vector, (start, end) in zip(vectors, pairwise(bounds.tolist()), strict=True):
            rows = self.rows.take(tokens[start:end], axis=0).astype(np.float32)
            # Row by row, each product rounded: what the compiled sum does too, on every processor.
            rows *= weights[start:end, np.newaxis]
            rows.sum(axis=0, out=vector)
        return _of_length_one(vectors)

    @cached_property
    def row_sums(self) -> CompiledRowSums | None:
        library = compiled_library()
        if library is None or self._lead != int(self._lead):
            return None
        return CompiledRowSums(library, self.rows, self.scales, self._small, LEAD, int(self._lead), self._decode)

    def _decode(self, tokens: NDArray[np.signedinteger[Any]]) -> None:
        """Puts together the rows of these tokens. Two threads that do so at once write the same bytes."""
        if not self._decoded[tokens].all():
            missing = np.unique(tokens[~self._decoded[tokens]])
            parts = np.arange(len(self._codes))
            self.rows[missing] = self._centroids[parts, self._codes[:, missing].T].reshape(len(missing), -1)
            self._decoded[missing] = True

    def _raised(self, counts: NDArray[np.float64]) -> NDArray[np.float32]:
        """To a power. Nearly all are small whole numbers, and looking those up is several times as fast."""
        whole = counts.astype(np.intp)
        if counts.max(initial=0.0) >= _RAISED or (whole != counts).any():
            return counts.astype(np.float32) ** np.float32(self._power)
        return self._small[whole]

    @cached_property
    def _small(self) -> NDArray[np.float32]:
        """Small whole numbers raised."""
        return np.arange(_RAISED, dtype=np.float32) ** np.float32(self._power)


def _of_length_one(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
    return vectors


def _joined(packed: Sequence[bytes]) -> tuple[NDArray[np.intc], NDArray[np.intp]]:
    """All of them one after the other, and the number of the one that each comes from."""
    sizes = [len(ids) // ID_BYTES for ids in packed]
    return np.frombuffer(b"".join(packed), IDS), np.repeat(np.arange(len(packed)), sizes)
