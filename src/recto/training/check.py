"""What a model in a folder finds of a data set, by meaning alone: measured as it will be used, in int8."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from recto.embedding.onnx import OnnxEmbedder
from recto.observability.progress import Progress
from recto.training.measure import ndcg


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
