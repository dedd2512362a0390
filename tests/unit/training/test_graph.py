"""From weights to a graph and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="graphs are written with the onnx package, which is not installed")

from tiny import tiny_folder, tiny_model

from octavo.embedding.bpe import counter_of
from octavo.embedding.bundled_embedder import MODEL_DIRECTORY
from octavo.embedding.model_folder import GRAPH
from octavo.embedding.onnx_embedder import OnnxEmbedder
from octavo.embedding.onnxruntime_loading import model_session
from octavo.fast_dataclass import replace
from octavo_train.int8_quantisation import calibrate, calibration_ids, fold_contexts
from octavo_train.model_scores_and_teacher_vectors import ndcg
from octavo_train.numpy_encoder import forward
from octavo_train.onnx_graph_export import emit, read_graph, read_ranges_of
from octavo_train.trained_model_export import table_bytes

TEXTS = ["the dome is closed when it rains", "bread rises in a warm kitchen", "the telescope is under the dome"]


def test_a_float_graph_gives_back_the_weights_it_was_made_of() -> None:
    model = tiny_model()
    found = read_graph(emit(model, None))
    assert np.array_equal(found.words, model.words)
    assert np.array_equal(found.layers[0].qkv.weight, model.layers[0].qkv.weight)
    assert np.array_equal(found.layers[0].down.bias, model.layers[0].down.bias)


def test_an_int8_graph_gives_back_weights_that_embed_alike(tmp_path: Path) -> None:
    folder = tiny_folder(tmp_path / "tiny", TEXTS)
    vectors = OnnxEmbedder(folder).embed(TEXTS)
    (folder / GRAPH).write_bytes(emit(read_graph((folder / GRAPH).read_bytes(), folder), None))
    (folder / "model.json").write_text((folder / "model.json").read_text().replace('"files"', '"were"'))
    assert (vectors * OnnxEmbedder(folder).embed(TEXTS)).sum(1).min() > 0.98


@pytest.mark.parametrize("first", [False, True])
def test_a_graph_computes_what_the_arrays_say_by_the_mean_or_the_first_token(tmp_path: Path, first: bool) -> None:
    model = replace(tiny_model(layers=2), first=first)
    ids = [3, 7, 7, 120, 5]
    states = forward(model, ids, lambda name, x: None)
    wanted = states[0] if first else states.mean(0)
    (tmp_path / GRAPH).write_bytes(emit(model, None))
    session = model_session(tmp_path / GRAPH, threads=1, remedy="", optimised=True)
    found = session.run(None, {"input_ids": np.array([ids])})[0][0]
    assert np.allclose(found, wanted / np.linalg.norm(wanted), atol=1e-5)
    assert read_graph(emit(model, None)).first == first
    back = read_graph(emit(model, None)).layers[-1].qkv
    assert np.array_equal(back.weight, model.layers[-1].qkv.weight)


def test_a_first_token_graph_in_int8_reads_back_its_ranges() -> None:
    model = replace(tiny_model(layers=2), first=True)
    ranges = calibrate(model, calibration_ids([3, 9, 11] * 20, (1, 2), 200, 32))
    data = emit(*fold_contexts(model, ranges), title="tiny")
    assert sorted(read_ranges_of(data)) == sorted(ranges)
    assert read_graph(data).first


def test_a_table_has_the_same_bytes_every_time() -> None:
    table = np.random.default_rng(0).normal(size=(20, 8)).astype(np.float32)
    table[3] = 0
    assert table_bytes(table) == table_bytes(table.copy())


def test_the_one_relevant_document_on_rank_two_is_worth_one_over_log_three() -> None:
    queries = np.array([[1.0, 0.0]], np.float32)
    passages = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], np.float32)
    assert ndcg(queries, passages, [0, 1, 2], [{1: 1}]) == pytest.approx(1 / np.log2(3))


def test_a_document_stands_where_its_best_passage_stands_and_a_scope_confines_it() -> None:
    queries = np.array([[1.0, 0.0]], np.float32)
    passages = np.array([[0.5, 0.5], [0.0, 1.0], [1.0, 0.0]], np.float32)
    assert ndcg(queries, passages, [0, 1, 1], [{1: 1}]) == 1.0
    assert ndcg(queries, passages, [0, 1, 1], [{0: 1}], [(0, 1)]) == 1.0


def test_the_encoder_that_ships_can_be_rounded_again(tmp_path: Path) -> None:
    """Two of its channels were rounded away: they have no weight to take a scale from."""
    shipped = MODEL_DIRECTORY
    model, counter = read_graph((shipped / GRAPH).read_bytes(), shipped), counter_of(shipped / "vocab.txt")
    ranges = calibrate(model, [[counter.start, *counter.ids(text), counter.end] for text in TEXTS])
    (tmp_path / GRAPH).write_bytes(emit(*fold_contexts(model, ranges), title="again"))
    session = model_session(tmp_path / GRAPH, threads=1, remedy="", optimised=True)
    for text, vector in zip(TEXTS, OnnxEmbedder(shipped).embed(TEXTS), strict=True):
        ids = np.array([[counter.start, *counter.ids(text), counter.end]])
        assert session.run(None, {"input_ids": ids})[0][0] @ vector > 0.97
