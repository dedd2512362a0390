"""Vectors for other programs, by the embedder that searches use."""

from __future__ import annotations

import numpy as np

from octavo.engine.engine import Engine
from octavo.fast_dataclass import Value
from octavo.operations.models.requests import EmbedRequest

_DIGITS = 7  # as many as single precision has


class EmbeddedText(Value):
    text: str
    embedding: tuple[float, ...]


class EmbedAnswer(Value):
    """`model` names the vectors: those of two models cannot be compared."""

    model: str
    dimensions: int
    vectors: tuple[EmbeddedText, ...]


def embed(engine: Engine, request: EmbedRequest) -> EmbedAnswer:
    embedder, texts = engine.embedder, request.texts
    profile = embedder.profile
    if request.queries:
        rows = [embedder.embed_query(text) for text in texts]
    else:
        rows = list(embedder.embed(texts)) if texts else []
    vectors = [EmbeddedText(text, _plain(row)) for text, row in zip(texts, rows, strict=True)]
    return EmbedAnswer(profile.model, profile.dimensions, tuple(vectors))


def _plain(row: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> tuple[float, ...]:
    return tuple(np.round(row.astype(np.float64), _DIGITS).tolist())
