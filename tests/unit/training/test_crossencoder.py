"""A cross-encoder learns which candidate answers, and its weights go through the int8 graph and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch, which is an extra: pip install 'octavo[train]'")

from tiny import tiny_reranker_folder

from octavo.embedding.model_folder import ModelDirectory
from octavo.embedding.onnx_cross_encoder import OnnxCrossEncoder
from octavo.observability.progress import NoProgress
from octavo_train.onnx_graph_export import read_reranker
from octavo_train.reranker_training import finetune_reranker, pair_tokenizer
from octavo_train.reranker_training_lists import CandidateList
from octavo_train.torch_cross_encoder import CrossEncoder, RerankSettings, scored
from octavo_train.trainable_model_checks import reranker_directory
from octavo_train.trained_model_export import ModelCard, described_reranker, reranker_files

WORDS = ("rain", "dome", "night", "glass", "frost", "wind", "road", "guest")
LISTS = [
    CandidateList(
        word, tuple(f"{other} {'open' if other == word else 'shut'}" for other in WORDS), (0.5,) * 8, frozenset({place})
    )
    for place, word in enumerate(WORDS)
]
"""What is open answers, and the search makes no difference between candidates."""


@pytest.fixture
def base(tmp_path: Path) -> ModelDirectory:
    return reranker_directory(tiny_reranker_folder(tmp_path / "tiny", [" ".join(WORDS), "open shut"]))


def test_a_reranker_learns_which_candidate_answers(base: ModelDirectory, tmp_path: Path) -> None:
    settings = RerankSettings(epochs=15.0, batch=4, rate=1e-3, negatives=3, smooth=0.0)
    trained = finetune_reranker(base, LISTS, settings, tmp_path / "work", NoProgress(), "cpu")
    pairs = [(one.query, passage) for one in LISTS for passage in one.passages]
    window = base.profile.window
    files = reranker_files(trained.weights, pairs, base.file("tokenizer.json").read_bytes(), b"free", window)
    made = ModelCard("taught", "tiny", "0", "2024-05-01", "a test", {}, {})
    folder = tmp_path / "taught"
    folder.mkdir()
    for name, data in described_reranker(files, made, window).items():
        (folder / name).write_bytes(data)
    reranker = OnnxCrossEncoder(folder)
    assert all(np.argmax(reranker.score(one.query, one.passages)) in one.answers for one in LISTS)
    again = read_reranker(files["model.onnx"])
    assert np.allclose(again.head, trained.weights.head)
    assert np.allclose(again.segments, trained.weights.segments)


def test_a_smoothed_target_follows_the_search(base: ModelDirectory, tmp_path: Path) -> None:
    """Where the whole target is the search's, its first is learnt to be first, though another answers."""
    lists = [
        CandidateList(one.query, (f"{one.query} open", "dome shut", "rain shut"), (4.0, 1.0, 1.0), frozenset({1}))
        for one in LISTS
    ]
    settings = RerankSettings(epochs=10.0, batch=4, rate=1e-3, smooth=1.0, residual=0.0)
    weights = finetune_reranker(base, lists, settings, tmp_path / "work", NoProgress(), "cpu").weights
    network, tokenizer = CrossEncoder(weights), pair_tokenizer(base)
    said = [scored(network, tokenizer, [(one.query, passage) for passage in one.passages]) for one in lists]
    assert all(np.argmax(values) == 0 for values in said)
