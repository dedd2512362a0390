"""The fast tier: one vector for each token, summed. It lands in its encoder's space at a thousandth of the cost.

A folder holds `model.json`, `table.npz` and `vocab.txt`. The table has a row of int8 for each token and its scale; a
row's length is the token's weight. A text is the sum of its tokens' rows, brought to length 1; a row counts as often as
its token occurs, raised to `power`, where a token among the first counts `lead` times: title and headings stand there.
`space` names the revision of the encoder whose vectors these may be compared with, and no others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from recto.embedding.directory import read_directory
from recto.embedding.wordpiece import WordPieceCounter, load_vocabulary
from recto.errors import ModelUnavailable
from recto.model.recipe import EmbeddingProfile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TABLE = "table.npz"
REMEDY = "check the folder: it must hold model.json, table.npz and vocab.txt"

LEAD = 24
"""How many tokens are among the first, the one that opens every text included."""

_TEXTS = 128  # summed together: enough that their common tokens are fetched once, few enough to stay in the cache


@dataclass(frozen=True, slots=True)
class _Table:
    rows: NDArray[np.int8]
    scales: NDArray[np.float32]


class StaticEmbedder:
    """Fits `ports.Embedder`. May be used from several threads at once; a text's vector depends on its text alone."""

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
        import numpy as np

        vectors = np.zeros((len(texts), self.profile.dimensions), np.float32)
        for start in range(0, len(texts), _TEXTS):
            some = texts[start : start + _TEXTS]
            vectors[start : start + len(some)] = self._summed(some)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed([text])[0]
        return vector

    def verify(self) -> tuple[str, ...]:
        """What is wrong with the files, in sentences, by their sha256; empty when nothing is."""
        return self._directory.damage()

    def _summed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A matrix of how often each text has each token, times the tokens' rows: few tokens make up most of a text,
        so one product of matrices does what a sum per text would do with far more fetching."""
        import numpy as np

        table, counter = self._table(), self._counter
        found = [(counter.start, *counter.ids(text), counter.end) for text in texts]
        sizes = np.fromiter(map(len, found), np.intp, len(found))
        flat = np.fromiter(chain.from_iterable(found), np.intp, int(sizes.sum()))
        place = np.zeros(len(table.rows), np.intp)
        place[flat] = 1
        tokens = np.flatnonzero(place)
        place[tokens] = np.arange(len(tokens))
        cells = place[flat] + np.repeat(np.arange(len(texts)) * len(tokens), sizes)
        counts = np.bincount(cells, minlength=len(texts) * len(tokens)).astype(np.float32)
        ends = np.cumsum(sizes)
        for end, size in zip(ends, sizes, strict=True):
            # Few enough to be added one text after the other; a token may be twice among the first.
            np.add.at(counts, cells[end - size : end - size + min(size, LEAD)], self._lead - 1)
        there = np.flatnonzero(counts)
        counts[there] **= self._power
        rows = table.rows[tokens].astype(np.float32)
        rows *= table.scales[tokens, None]
        vectors: NDArray[np.float32] = counts.reshape(len(texts), len(tokens)) @ rows
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
        return vectors

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
    def _counter(self) -> WordPieceCounter:
        return WordPieceCounter(load_vocabulary(self._directory.file("vocab.txt")))

    def _table(self) -> _Table:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> _Table:
        import numpy as np

        path = self._directory.file(TABLE)
        try:
            with np.load(path, allow_pickle=False) as held:
                rows, scales = held["rows"], held["scales"].astype(np.float32)
        except (OSError, ValueError, KeyError) as error:
            raise ModelUnavailable(f"{path} is not a table: {error}", hint=self._directory.remedy) from error
        if rows.dtype != np.int8 or rows.shape != (len(scales), self.profile.dimensions):
            raise ModelUnavailable(
                f"{path} has rows of shape {rows.shape}, but model.json says {self.profile.dimensions} dimensions",
                hint=self._directory.remedy,
            )
        return _Table(rows, scales)
