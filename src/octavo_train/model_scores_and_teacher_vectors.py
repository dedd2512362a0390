"""Measures an embedder's nDCG@10, and computes a reranker's pair scores and a teacher's vectors of texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.embedding.onnx_cross_encoder import OnnxCrossEncoder
from octavo.embedding.onnx_embedder import OnnxEmbedder
from octavo.observability.progress import Progress
from octavo_train.brute_force_ndcg import ndcg

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
