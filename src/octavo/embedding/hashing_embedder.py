"""Vectors without a model, for tests: texts that share words and spellings are close, and nothing is learned."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from octavo.lazy_regex import regex
from octavo.model.embedding_profile import EmbeddingProfile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD = regex(r"\w+")
_SPACED = regex(r"\S+")
_WINDOW = 256


class HashingEmbedder:
    """Fits `ports.Embedder` by signed feature hashing of words and their trigrams.

    Weinberger et al., Feature Hashing for Large Scale Multitask Learning, 2009.
    """

    def __init__(self, dimensions: int = 64) -> None:
        self.profile = EmbeddingProfile(
            name=f"hashing-{dimensions}", model="hashing", revision="1", dimensions=dimensions, window=_WINDOW
        )

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        dimensions = self.profile.dimensions
        vectors = np.zeros((len(texts), dimensions), np.float32)
        for row, text in enumerate(texts):
            for feature, weight in _features(text):
                # crc32, not hash(): hash() is salted per process. The lowest bit is the sign, the others the place.
                hashed = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
                vectors[row, (hashed >> 1) % dimensions] += weight if hashed & 1 else -weight
            # A text without words, or one whose features cancel, still gets a direction.
            if not vectors[row].any():
                vectors[row, 0] = 1.0
        normalised: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return normalised

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed([text])[0]
        return vector


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text.lower()):
        yield word, 1.0
        padded = f"<{word}>"
        for start in range(len(padded) - 2):
            # Marked, so that the word `the` and the trigram `the` are two features.
            yield f"~{padded[start : start + 3]}", 0.25


class WhitespaceCounter:
    """Fits `ports.TokenCounter`: a word is a token."""

    def count(self, text: str) -> int:
        return len(_SPACED.findall(text))

    def counts(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]

    def words(self, text: str) -> Sequence[tuple[int, int]]:
        return [(word.end(), 1) for word in _SPACED.finditer(text)]
