"""The fast tier: one vector for each token, summed. It lands in its encoder's space at a thousandth of the cost.

A folder holds `model.json`, `table.npz` and `vocab.txt`. The table has a row of int8 for each token and its scale; a
row's length is the token's weight. It may be product-quantised (Jégou 2011): `codes` then has for every few numbers of
a row the place of the nearest of 256 `centroids`, and a row is decoded for the first text that has its token. A text is
the sum of its tokens' rows, brought to length 1; a row counts as often as its token occurs, raised to `power`, where a
token among the first counts `lead` times: title and headings stand there. `space` names the revision of the encoder
whose vectors these may be compared with, and no others.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.model_inputs.model_readability import Readability, TaughtScripts
from octavo.embedding.bpe import ID_BYTES, IDS, BpeCounter
from octavo.embedding.model_folder import read_directory
from octavo.embedding.token_counter_selection import counter_of, readability_of
from octavo.embedding.wordpiece import WordPieceCounter
from octavo.errors import ModelUnavailable
from octavo.model.embedding_profile import EmbeddingProfile

TABLE = "table.npz"
REMEDY = "check the folder: it must hold model.json, table.npz and vocab.txt"

LEAD = 24
"""How many tokens are among the first, the one that opens every text included."""

_TEXTS = 192  # counted together: enough that numpy is asked seldom, few enough to stay in the cache
_RAISED = 1024  # counts below this are raised once and looked up


class _Table(NamedTuple):
    """`decoded` says which rows are there already: decoding all takes longer than a small library's texts do."""

    scales: NDArray[np.float32]
    rows: NDArray[np.int8]
    decoded: NDArray[np.bool_]
    codes: NDArray[np.uint8]
    centroids: NDArray[np.int8]

    @classmethod
    def read(cls, archive: Mapping[str, NDArray[Any]]) -> _Table:
        scales = archive["scales"].astype(np.float32)
        if "codes" not in archive:
            everything = np.ones(len(scales), np.bool_)
            return cls(scales, archive["rows"], everything, np.empty((0, 0), np.uint8), np.empty((0, 0, 0), np.int8))
        codes, centroids = archive["codes"], archive["centroids"]
        rows = np.empty((codes.shape[1], len(codes) * centroids.shape[2]), np.int8)
        return cls(scales, rows, np.zeros(len(scales), np.bool_), codes, centroids)

    def decode(self, tokens: NDArray[np.intp]) -> None:
        """Puts together the rows of these tokens. Two threads that do so at once write the same bytes."""
        if not self.decoded[tokens].all():
            missing = np.unique(tokens[~self.decoded[tokens]])
            parts = np.arange(len(self.codes))
            self.rows[missing] = self.centroids[parts, self.codes[:, missing].T].reshape(len(missing), -1)
            self.decoded[missing] = True


class StaticEmbedder:
    """Fits `ports.Embedder`. May be used from several threads at once; a text's vector depends on its text alone.

    A passage that the model cannot read gets a vector of zeros, which is near nothing.
    """

    def __init__(self, folder: Path, *, remedy: str = REMEDY) -> None:
        self._directory = read_directory(folder, remedy)
        self._loading = Lock()
        self._loaded: _Table | None = None

    @property
    def profile(self) -> EmbeddingProfile:
        return self._directory.profile

    @cached_property
    def space(self) -> str:
        """The revision of the encoder in whose space the vectors are."""
        return str(self._about.get("space", ""))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.profile.dimensions), np.float32)
        for start in range(0, len(texts), _TEXTS):
            some = texts[start : start + _TEXTS]
            vectors[start : start + len(some)] = self._summed(some)
        vectors[self._readability.unreadable(texts)] = 0.0
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed([text])[0]
        return vector

    def readability(self, text: str) -> float:
        return self._readability.of(text)

    def fluency(self, text: str) -> float:
        return self._readability.fluency(text)

    def verify(self) -> tuple[str, ...]:
        """What is wrong with the files, in sentences, by their sha256; empty when nothing is."""
        return self._directory.damage()

    def _summed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Tokens are counted for all texts at once, rows are added up text by text: a text has so few of the tokens
        of its neighbours that one product of matrices would mostly multiply by zero, and would wake the threads of a
        linear algebra library for it."""
        table, counter = self._table(), self._counter
        size, several = len(table.rows), len(texts)
        packed = counter.packed(texts)
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
        table.decode(tokens)
        weights = self._raised(counts + leading * (self._lead - 1))
        weights *= table.scales[tokens]
        vectors = np.empty((len(texts), self.profile.dimensions), np.float32)
        for vector, (start, end) in zip(vectors, pairwise(bounds.tolist()), strict=True):
            rows = table.rows.take(tokens[start:end], axis=0).astype(np.float32)
            np.einsum("i,ij->j", weights[start:end], rows, out=vector)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
        return vectors

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

    @cached_property
    def _about(self) -> dict[str, Any]:
        about: dict[str, Any] = json.loads((self._directory.path / "model.json").read_text("utf-8"))
        return about

    @cached_property
    def _power(self) -> float:
        return float(self._about.get("power", 0.5))

    @cached_property
    def _lead(self) -> float:
        return float(self._about.get("lead", 1.0))

    @cached_property
    def _readability(self) -> Readability | TaughtScripts:
        return readability_of(self._directory)

    @cached_property
    def _counter(self) -> WordPieceCounter | BpeCounter:
        return counter_of(self._directory)

    def _table(self) -> _Table:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> _Table:
        path = self._directory.file(TABLE)
        try:
            with np.load(path, allow_pickle=False) as archive:
                table = _Table.read(archive)
        except (OSError, ValueError, KeyError) as error:
            raise ModelUnavailable(f"{path} is not a table: {error}", hint=self._directory.remedy) from error
        dimensions = self.profile.dimensions
        if table.rows.dtype != np.int8 or table.rows.shape != (len(table.scales), dimensions):
            raise ModelUnavailable(
                f"{path} has rows of shape {table.rows.shape}, but model.json says {dimensions} dimensions",
                hint=self._directory.remedy,
            )
        return table


def _joined(packed: Sequence[bytes]) -> tuple[NDArray[np.intc], NDArray[np.intp]]:
    """All of them one after the other, and the number of the one that each comes from."""
    sizes = [len(ids) // ID_BYTES for ids in packed]
    return np.frombuffer(b"".join(packed), IDS), np.repeat(np.arange(len(packed)), sizes)
