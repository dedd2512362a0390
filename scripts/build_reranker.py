"""Builds octavo-rerank-1 from the weights that `train_reranker.py` brought back: one int8 ONNX graph and its tokenizer.

    python scripts/build_reranker.py                  write the model directory
    python scripts/build_reranker.py --check          build and compare with what is there
    python scripts/build_reranker.py --float OUT.onnx also write the float32 graph, to measure against
    python scripts/build_reranker.py --weights NAME --out FOLDER   from other weights, to measure them as a file

Needs `onnx`, `numpy` and `tokenizers`. The word table is that of octavo-encoder-1, as the training left it. What enters
each layer is measured on pairs of the documentation's own headings and paragraphs, and on random tokens.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from octavo_train.export import described_reranker, quantised_reranker
from octavo_train.graph import emit_reranker, read_graph
from octavo_train.model_card import ModelCard
from octavo_train.quantise import calibration_texts
from octavo_train.weights import WINDOW, Array, Layer, Linear, Model, RerankerWeights

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "src/octavo/embedding/models"
ENCODER, OUT = MODELS / "octavo-encoder-1", MODELS / "octavo-rerank-1"
PARTS = ROOT / "scripts/reranker"
SOURCES = (
    "scikit-learn, kubernetes/website, docker/docs, transformers, mlflow, optuna, distributed, celery, pandas, "
    "TheAlgorithms/Python, eLife articles, factbook.json, five OpenStax books, dagster, vllm, Synthetic-Persona-Chat "
    "and Taskmaster, at the commits and under the licences that scripts/sources*.toml gives"
)
QUERY_TOKENS = 12  # of a calibration text that stand for the query


def read_weights(weights: Path) -> RerankerWeights:
    data = b"".join(part.read_bytes() for part in sorted(weights.parent.glob(f"{weights.name}.part*")))
    with np.load(io.BytesIO(data)) as archive:
        arrays = {name: archive[name].astype(np.float32) for name in archive.files}
    words = read_graph((ENCODER / "model.onnx").read_bytes()).words
    count = sum(name.endswith(".qkv.weight") for name in arrays)
    layers = tuple(_layer(arrays, index) for index in range(count))
    model = Model(words, arrays["positions"], (arrays["norm.weight"], arrays["norm.bias"]), layers)
    return RerankerWeights(model, arrays["types"], arrays["head.weight"][0], float(arrays["head.bias"][0]))


def _layer(arrays: Mapping[str, Array], index: int) -> Layer:
    def linear(name: str) -> Linear:
        at = f"layers.{index}.{name}"
        return Linear(f"{index}.{name}", arrays[f"{at}.weight"].T, arrays[f"{at}.bias"])

    def norm(name: str) -> tuple[Array, Array]:
        at = f"layers.{index}.{name}"
        return arrays[f"{at}.weight"], arrays[f"{at}.bias"]

    products = (linear(name) for name in ("qkv", "out", "up", "down"))
    return Layer(*products, attention_norm=norm("attention_norm"), output_norm=norm("output_norm"))


def calibration_pairs(tokenizer: Tokenizer) -> list[list[int]]:
    """Texts of the documentation and of random tokens, each cut into a query and a passage."""
    prose = "\n".join(page.read_text("utf-8") for page in sorted((ROOT / "docs/guides").glob("*.md")))
    start, end = (int(tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]"))
    pairs = []
    for text in calibration_texts(tokenizer, prose[:40_000], WINDOW - 1):
        body = text[1:-1]
        pairs.append([start, *body[:QUERY_TOKENS], end, *body[QUERY_TOKENS:], end])
    return pairs


def graphs(path: Path) -> tuple[bytes, RerankerWeights]:
    weights, tokenizer = read_weights(path), Tokenizer.from_file(str(ENCODER / "tokenizer.json"))
    separator = int(tokenizer.token_to_id("[SEP]"))
    quantised, ranges = quantised_reranker(weights, calibration_pairs(tokenizer), separator)
    return emit_reranker(quantised, ranges, "octavo-rerank-1"), weights


def files(graph: bytes) -> dict[str, bytes]:
    made = ModelCard(
        name="octavo-rerank-1",
        base="octavo/octavo-encoder-1",
        base_revision=json.loads((ENCODER / "model.json").read_text())["revision"],
        made_at="2026-11-16",
        command="scripts/train_reranker.py, then scripts/build_reranker.py",
        pairs={"of queries and passages": 110_896},
        settings=json.loads((PARTS / "plan_third.json").read_text())["runs"][0],
        licence="Apache-2.0",
        sources=SOURCES,
    )
    copied = {name: (ENCODER / name).read_bytes() for name in ("tokenizer.json", "LICENSE")}
    return described_reranker({"model.onnx": graph, **copied}, made, WINDOW)


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--check", action="store_true")
    asked.add_argument("--float", type=Path)
    asked.add_argument("--weights", type=Path, default=PARTS / "rerank-1", help="the name before .part0")
    asked.add_argument("--out", type=Path, default=OUT)
    options = asked.parse_args()
    graph, weights = graphs(options.weights)
    if options.float:
        options.float.write_bytes(emit_reranker(weights, None, "octavo-rerank-1"))
    made = files(graph)
    if options.check:
        different = [name for name, data in made.items() if (options.out / name).read_bytes() != data]
        print(f"different: {', '.join(different)}" if different else "the same bytes")
        return bool(different)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, data in made.items():
        (options.out / name).write_bytes(data)
    print(options.out, len(graph))
    return 0


if __name__ == "__main__":
    sys.exit(main())
