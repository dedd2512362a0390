"""Embeds by summing one vector per token: the fast tier, in its encoder's space at a thousandth of the cost.

A folder holds `model.json`, `table.npz` and `vocab.txt`. The table has a row of int8 for each token and its scale; a
row's length is the token's weight. It may be product-quantised (Jégou 2011): `codes` then has for every few numbers of
a row the place of the nearest of 256 `centroids`, and a row is decoded for the first text that has its token. A text is
the sum of its tokens' rows, brought to length 1; a row counts as often as its token occurs, raised to `power`, where a
token among the first counts `lead` times: title and headings stand there. `space` names the revision of the encoder
whose vectors these may be compared with, and no others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from octavo.algorithms.model_inputs.vocabulary_coverage_of_text import Readability, TaughtScripts
from octavo.embedding.bpe import BpeCounter
from octavo.embedding.model_folder import read_directory
from octavo.embedding.token_counters import WordPieceCounter, counter_of, readability_of
from octavo.model.embedding_profile import EmbeddingProfile

if TYPE_CHECKING:
    # A run of indexing that finds nothing new asks for the profile alone, and does without numpy.
    import numpy as np
    from numpy.typing import NDArray

    from octavo.embedding.static_token_table import TokenTable

REMEDY = "check the folder: it must hold model.json, table.npz and vocab.txt"


class StaticEmbedder:
    """Fits `ports.Embedder`. May be used from several threads at once; a text's vector depends on its text alone.

    A passage that the model cannot read gets a vector of zeros, which is near nothing.
    """

    def __init__(self, folder: Path, *, remedy: str = REMEDY) -> None:
        self._directory = read_directory(folder, remedy)
        self._loading = Lock()
        self._loaded: TokenTable | None = None

    @property
    def profile(self) -> EmbeddingProfile:
        return self._directory.profile

    @cached_property
    def space(self) -> str:
        """The revision of the encoder in whose space the vectors are."""
        return str(self._about.get("space", ""))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = self._table().embed(texts, self._counter)
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

    @cached_property
    def _about(self) -> dict[str, Any]:
        about: dict[str, Any] = json.loads((self._directory.path / "model.json").read_text("utf-8"))
        return about

    @cached_property
    def _readability(self) -> Readability | TaughtScripts:
        return readability_of(self._directory)

    @cached_property
    def _counter(self) -> WordPieceCounter | BpeCounter:
        return counter_of(self._directory)

    def _table(self) -> TokenTable:
        with self._loading:
            if self._loaded is None:
                from octavo.embedding.static_token_table import read_table

                power, lead = float(self._about.get("power", 0.5)), float(self._about.get("lead", 1.0))
                self._loaded = read_table(self._directory, power, lead)
            return self._loaded
