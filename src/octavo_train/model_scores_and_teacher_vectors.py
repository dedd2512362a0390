"""Measures an embedder's nDCG@10 by brute force, and computes a reranker's pair scores and a teacher's vectors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.embedding.onnx_cross_encoder import OnnxCrossEncoder
from octavo.embedding.onnx_embedder import OnnxEmbedder
from octavo.observability.progress import Progress

_DEPTH = 10


def ndcg(
    queries: NDArray[np.float32],
    passages: NDArray[np.float32],
    documents: Sequence[int],
    judged: Sequence[Mapping[int, int]],
    scopes: Sequence[tuple[int, int]] | None = None,
) -> float:
    """`documents` gives each passage's document, ascending from 0; `judged` each query's relevant documents.

    `scopes` confines a query to documents from the first number up to the second. Gain is the relevance, discount
    log2(rank + 1). Worked example: the one relevant document on rank 2 → 1 / log2(3) = .631.
    """
    starts = np.flatnonzero(np.diff(np.asarray(documents), prepend=-1))
    names = np.asarray(documents)[starts]
    discounts = 1 / np.log2(np.arange(2, _DEPTH + 2))
    total = 0.0
    for start in range(0, len(queries), 256):
        scores = np.maximum.reduceat(queries[start : start + 256] @ passages.T, starts, axis=1)
        for row, values in enumerate(scores):
            relevant = judged[start + row]
            if scopes is not None:
                low, high = scopes[start + row]
                values = np.where((names >= low) & (names < high), values, -2.0)
            # Ties go to the earlier document, as everywhere.
            best = names[np.lexsort((names, -values))[:_DEPTH]] if len(values) <= _DEPTH else _best(values, names)
            gains = np.array([relevant.get(int(place), 0) for place in best], float)
            ideal = np.sort(np.array(list(relevant.values()), float))[::-1][:_DEPTH]
            total += float(gains @ discounts[: len(gains)]) / float(ideal @ discounts[: len(ideal)])
    return total / max(1, len(queries))


def _best(values: NDArray[np.float32], names: NDArray[np.int64]) -> NDArray[np.int64]:
    near = np.argpartition(-values, _DEPTH)[: _DEPTH + 1]
    return names[near[np.lexsort((names[near], -values[near]))[:_DEPTH]]]


_TAUGHT = 256  # texts that a teacher reads between two words of progress


def score(
    model: Path,
    passages: Sequence[str],
    queries: Sequence[str],
    judged: Sequence[Mapping[int, int]],
    progress: Progress,
) -> float:
    """nDCG@10; `judged` has the places of each query's relevant passages."""
    embedder = OnnxEmbedder(model)
    progress.start("measuring", len(passages) + len(queries), "texts")
    try:
        found, asked = embedder.embed(passages), embedder.embed(queries)
    finally:
        progress.finish()
    return ndcg(asked, found, range(len(passages)), judged)


def pair_scores(model: Path) -> Callable[[str, Sequence[str]], Sequence[float]]:
    """What a reranker gives a question with each passage, as it would in a search."""
    return OnnxCrossEncoder(model).score


def teach(model: Path, texts: Sequence[str], asked: Collection[str], progress: Progress) -> NDArray[np.float32]:
    """The vectors a teacher gives every text, those that are `asked` as queries; on the CPU, as it would answer."""
    embedder = OnnxEmbedder(model)
    progress.start("reading with the teacher", len(texts), "texts")
    found = []
    try:
        for start in range(0, len(texts), _TAUGHT):
            some = texts[start : start + _TAUGHT]
            rows = embedder.embed(some)
            if embedder.profile.query_prefix != embedder.profile.document_prefix:
                for place in [place for place, text in enumerate(some) if text in asked]:
                    rows[place] = embedder.embed_query(some[place])
            found.append(rows)
            progress.advance(len(some))
    finally:
        progress.finish()
    return np.concatenate(found)
