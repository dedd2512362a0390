"""What int8 does to the weights, computed before they are exported, and trained away."""

from __future__ import annotations

import numpy as np
import pytest
from tiny import tiny_model

pytest.importorskip("torch", reason="training needs torch: pip install 'octavo[train]'")

import onnxruntime
import torch
from rounding import Rounded, Settling, fixed, settle, vectors

from octavo_train.int8_quantisation import Range, calibrate, fold_contexts, ranges_as_arrays, read_ranges, spread_out
from octavo_train.numpy_encoder import Model
from octavo_train.onnx_graph_export import emit, read_graph, read_ranges_of
from octavo_train.torch_encoder import Encoder, Texts

DICE = np.random.default_rng(1)
IDS = [[1, *DICE.integers(4, 200, length).tolist(), 2] for length in (3, 9, 14, 5, 20, 11, 7, 26)]


def by_graph(data: bytes) -> np.ndarray:
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    return np.stack([session.run(None, {"input_ids": np.array([ids], np.int64)})[0][0] for ids in IDS])


@pytest.fixture(scope="module")
def model() -> Model:
    return tiny_model(layers=2)


@pytest.fixture(scope="module")
def ranges(model: Model) -> dict[str, Range]:
    return calibrate(model, IDS)


@pytest.fixture
def texts() -> Texts:
    torch.set_num_threads(1)
    return Texts(IDS, torch.device("cpu"))


def test_a_rounded_encoder_gives_the_vectors_of_the_graph(model: Model, ranges: dict[str, Range], texts: Texts) -> None:
    settled = fixed(model, ranges)
    graph = by_graph(emit(*fold_contexts(model, settled)))
    near = (vectors(Rounded(Encoder(model), settled), texts) * graph).sum(1)
    assert near.min() > 0.9999


def test_ranges_that_were_kept_give_the_same_graph(model: Model, ranges: dict[str, Range]) -> None:
    kept = read_ranges(ranges_as_arrays(fixed(model, ranges)))
    assert emit(*fold_contexts(model, kept)) == emit(*fold_contexts(model, ranges))


def test_a_graph_gives_back_the_ranges_it_was_made_with(model: Model, ranges: dict[str, Range], texts: Texts) -> None:
    data = emit(*fold_contexts(model, fixed(model, ranges)))
    again = Rounded(Encoder(read_graph(data)), read_ranges_of(data))
    assert (vectors(again, texts) * by_graph(data)).sum(1).min() > 0.9999


def test_settling_brings_int8_nearer_to_float(model: Model, ranges: dict[str, Range], texts: Texts) -> None:
    encoder = Encoder(model)
    wanted = vectors(encoder, texts)
    narrow = {name: Range(seen.low * 0.3, seen.high * 0.3, seen.smooth) for name, seen in fixed(model, ranges).items()}
    before = (vectors(Rounded(encoder, narrow), texts) * wanted).sum(1).mean()
    learnt = settle(encoder, narrow, texts, Settling(steps=30, tokens=200, rate=3e-4, scale_rate=0.01))
    assert (vectors(Rounded(encoder, learnt), texts) * wanted).sum(1).mean() > before


def test_settling_twice_gives_the_same_weights(model: Model, ranges: dict[str, Range], texts: Texts) -> None:
    made = []
    for _ in range(2):
        encoder = Encoder(model)
        settle(encoder, fixed(model, ranges), texts, Settling(steps=3, tokens=60))
        made.append(encoder.weights().layers[1].down.weight)
    assert np.array_equal(made[0], made[1])


def test_a_range_that_is_far_too_wide_is_learnt_narrower(model: Model, ranges: dict[str, Range], texts: Texts) -> None:
    wide = fixed(model, {name: Range(seen.low * 20, seen.high * 20) for name, seen in ranges.items()})
    learnt = settle(Encoder(model), wide, texts, Settling(steps=30, tokens=200, rate=0.0, scale_rate=0.05))
    narrower = [name for name, seen in learnt.items() if (seen.high / seen.smooth).max() < wide[name].high.max()]
    assert len(narrower) > len(wide) / 2


def test_ranges_that_were_learnt_give_the_vectors_of_the_graph(
    model: Model, ranges: dict[str, Range], texts: Texts
) -> None:
    encoder = Encoder(model)
    learnt = settle(encoder, fixed(model, ranges), texts, Settling(steps=5, tokens=100))
    graph = by_graph(emit(*fold_contexts(encoder.weights(), learnt)))
    near = (vectors(Rounded(encoder, learnt), texts) * graph).sum(1)
    assert near.min() > 0.9999


def test_channels_that_are_there_several_times_change_no_vector(
    model: Model, ranges: dict[str, Range], texts: Texts
) -> None:
    wider, seen = spread_out(model, ranges, 6)
    assert wider.layers[0].down.weight.shape[0] == model.layers[0].down.weight.shape[0] + 6
    assert len(seen["0.down"].low) == wider.layers[0].down.weight.shape[0]
    near = (vectors(Encoder(wider), texts) * vectors(Encoder(model), texts)).sum(1)
    assert near.min() > 1 - 1e-6
