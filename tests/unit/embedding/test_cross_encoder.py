"""A cross-encoder a person brings, over a tiny graph: how often the question's word stands in the passage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from octavo.embedding.onnx_cross_encoder import REMEDY, OnnxCrossEncoder
from octavo.errors import ModelUnavailable

onnx = pytest.importorskip("onnx", reason="the tiny graph of these tests is made with the onnx package")

WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "red", "green", "blue"]


def write_model(folder: Path, outputs: int = 1, typed: bool = True, **about: Any) -> Path:
    """score = Σ over the passage's tokens: token == the first token of the question."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    names = ("input_ids", "attention_mask", "token_type_ids") if typed else ("input_ids", "attention_mask")
    given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"]) for name in names]
    given_out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", outputs])
    nodes = [
        helper.make_node("Gather", ["input_ids", "second"], ["asked"], axis=1),
        helper.make_node("Equal", ["input_ids", "asked"], ["same"]),
        helper.make_node("Cast", ["same"], ["counted"], to=TensorProto.INT64),
        helper.make_node("Mul", ["counted", names[-1]], ["there"]),
        helper.make_node("ReduceSum", ["there", "last"], ["total"], keepdims=1),
        helper.make_node("Cast", ["total"], ["score"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["score", "weights"], ["logits"]),
    ]
    weights = np.arange(outputs, dtype=np.float32) if outputs > 1 else np.ones(1, np.float32)
    constants = [
        numpy_helper.from_array(np.array([1], np.int64), "second"),
        numpy_helper.from_array(np.array([1], np.int64), "last"),
        numpy_helper.from_array(weights, "weights"),
    ]
    graph = helper.make_graph(nodes, "tiny", given, [given_out], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / "model.onnx").write_bytes(model.SerializeToString())

    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    described = {"name": "tiny", "revision": "1", "dimensions": 1, "window": 16, **about}
    (folder / "model.json").write_text(json.dumps(described))
    return folder


@pytest.mark.parametrize("outputs", [1, 2])
def test_each_pair_gets_its_own_score_in_the_order_of_the_texts(tmp_path: Path, outputs: int) -> None:
    model = OnnxCrossEncoder(write_model(tmp_path, outputs))
    assert model.name == "tiny@1/2"
    texts = ["red", "green blue", "red red green red", "", "blue red"] * 20
    assert list(model.score("red", texts)) == [1.0, 0.0, 3.0, 0.0, 1.0] * 20
    assert list(model.score("red", [])) == []


def test_a_graph_without_token_types_is_taken_too(tmp_path: Path) -> None:
    model = OnnxCrossEncoder(write_model(tmp_path, typed=False), threads=1)
    assert list(model.score("red", ["red", "blue"])) == [2.0, 1.0]


def test_a_passage_that_does_not_fit_is_cut_to_what_matches_the_question(tmp_path: Path) -> None:
    model = OnnxCrossEncoder(write_model(tmp_path, window=8))
    texts = ["blue " * 50 + "red", "red " * 50, "green " * 60 + "red blue red " + "green " * 60, "blue " * 50]
    assert list(model.score("red", texts)) == [1.0, 4.0, 2.0, 0.0]


def test_of_a_passage_that_does_not_fit_the_first_line_is_read_too(tmp_path: Path) -> None:
    model = OnnxCrossEncoder(write_model(tmp_path, window=8))
    assert list(model.score("red", ["red\n" + "blue " * 50 + "red red red"])) == [4.0]
    long_line = "red blue " * 20 + "\n" + "green " * 20 + "red red red red"
    assert list(model.score("red", [long_line])) == [4.0]


def test_a_question_leaves_three_quarters_of_the_window_to_the_passage(tmp_path: Path) -> None:
    model = OnnxCrossEncoder(write_model(tmp_path, window=16))
    assert list(model.score("red " + "blue " * 100, ["red " * 100])) == [9.0]


def test_a_lone_surrogate_is_an_unknown_token_and_not_an_error(tmp_path: Path) -> None:
    assert list(OnnxCrossEncoder(write_model(tmp_path)).score("\ud800", ["\ud800 red"])) == [1.0]


def test_a_graph_that_gives_something_else_is_refused(tmp_path: Path) -> None:
    model = OnnxCrossEncoder(write_model(tmp_path, outputs=3))
    with pytest.raises(ModelUnavailable, match="gives 1×3 values for 1 pairs") as caught:
        model.score("red", ["red"])
    assert caught.value.hint == REMEDY


def test_a_folder_without_its_files_is_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="cannot be read"):
        OnnxCrossEncoder(tmp_path)
    folder = write_model(tmp_path)
    (folder / "model.onnx").write_bytes(b"nonsense")
    with pytest.raises(ModelUnavailable, match="cannot be loaded") as caught:
        OnnxCrossEncoder(folder).score("red", ["red"])
    assert caught.value.hint == REMEDY
