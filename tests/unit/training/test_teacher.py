"""What a teacher says is put on a scale on which it is as sure as it is right, and counts where no pair does."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch, which is an extra: pip install 'octavo[train]'")

import torch
from tiny import tiny_model

from octavo_train.contrastive_training import Examples, TrainingSettings, TrainingStep, mined, taught, train
from octavo_train.contrastive_training import sureness as sureness_of
from octavo_train.torch_encoder import Encoder, Texts

CPU = torch.device("cpu")
COUNT = 24


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def apart() -> np.ndarray:
    """Queries, then their answers: each with a vector of its own and nothing in common with the others."""
    return np.concatenate([np.eye(COUNT, dtype=np.float32)] * 2)


PAIRS = [(place, COUNT + place) for place in range(COUNT)]


def sureness(rows: torch.Tensor) -> float:
    scores = rows[:COUNT] @ rows[COUNT:].T
    return float(torch.softmax(scores, -1).diagonal().mean())


def test_a_teacher_that_is_always_right_is_made_sure_and_one_that_guesses_is_not() -> None:
    guessing = unit(np.random.default_rng(0).normal(size=(2 * COUNT, 8)))
    assert sureness(taught([apart()], PAIRS, 0, CPU)) > 0.95
    assert sureness(taught([guessing], PAIRS, 0, CPU)) < 0.2


def test_two_teachers_together_are_surer_than_the_worse_of_them() -> None:
    guessing = unit(np.random.default_rng(0).normal(size=(2 * COUNT, 8)))
    both = sureness(taught([guessing, apart()], PAIRS, 0, CPU))
    assert both > sureness(taught([guessing], PAIRS, 0, CPU))


def test_passages_for_a_teacher_to_judge_are_from_near_and_far_but_never_the_answer() -> None:
    vectors = unit(np.random.default_rng(1).normal(size=(2 * COUNT, 8)))
    found, worth = mined(vectors, PAIRS, ["a"] * (2 * COUNT), TrainingSettings(negatives=3), CPU, taught=True)
    assert worth == list(range(COUNT))
    for (query, answer), others in zip(PAIRS, found, strict=True):
        near = [float(vectors[query] @ vectors[other]) for other in others]
        assert answer not in others and len(set(others)) == 3
        assert near == sorted(near, reverse=True)


def test_pairs_that_are_not_trusted_teach_nothing_without_a_teacher() -> None:
    encoder = Encoder(tiny_model())
    ids = [[1, 10 + place, 11 + place, 2] for place in range(2 * COUNT)]
    examples = Examples(Texts(ids, CPU), PAIRS, [[COUNT]] * COUNT, trusted=[False] * COUNT)
    losses: list[float] = []

    def told(step: TrainingStep) -> None:
        losses.append(step.loss)

    train(encoder, examples, TrainingSettings(batch=8, close=0.0, balance=0.0), report=told)
    assert losses and all(math.isclose(loss, 0.0) for loss in losses)


def test_who_is_listened_to_more_has_more_to_say() -> None:
    rows = [torch.as_tensor(unit(np.random.default_rng(seed).normal(size=(2 * COUNT, 8)))) for seed in (0, 1)]
    even, first = sureness_of(rows, [1.0, 1.0], PAIRS, 0), sureness_of(rows, [3.0, 1.0], PAIRS, 0)
    assert first[0] / first[1] > even[0] / even[1]


def test_texts_in_one_row_have_the_vectors_they_have_beside_each_other() -> None:
    encoder = Encoder(tiny_model(layers=2)).eval()
    texts = Texts([[1, 10, 11, 2], [1, 2], [1, 12, 13, 14, 15, 16, 2]], CPU)
    places = [2, 0, 1]
    with torch.no_grad():
        packed, beside = encoder.packed(*texts.packed(places)), encoder(*texts.batch(places))
    assert torch.allclose(packed, beside, atol=1e-6)
