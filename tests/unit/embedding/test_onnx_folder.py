"""A model a person brings: padded batches, pooling outside the graph, and a model.json that may be wrong."""

from __future__ import annotations

import json
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from octavo.embedding.onnx_embedder import REMEDY, OnnxEmbedder, token_counter
from octavo.errors import ModelUnavailable

onnx = pytest.importorskip("onnx", reason="the tiny graph of these tests is made with the onnx package")

WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "red", "green", "blue"]
STATES = np.array(
    [[9, 9, 9], [0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 3, 4]], np.float32
)  # padding is far away on purpose: whoever lets it in sees it


def write_model(folder: Path, **about: Any) -> Path:
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    ids, mask, types = (
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    )
    states = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["texts", "tokens", 3])
    graph = helper.make_graph(
        [helper.make_node("Gather", ["states", "input_ids"], ["last_hidden_state"])],
        "tiny",
        [ids, mask, types],
        [states],
        [numpy_helper.from_array(STATES, "states")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / "model.onnx").write_bytes(model.SerializeToString())

    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.enable_padding(length=12)
    tokenizer.save(str(folder / "tokenizer.json"))
    described = {"name": "tiny", "revision": "1", "dimensions": 3, "window": 6, **about}
    (folder / "model.json").write_text(json.dumps(described))
    return folder


def unit(*values: float) -> list[float]:
    return [value / float(np.linalg.norm(values)) for value in values]


def test_mean_pooling_leaves_padding_out(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(write_model(tmp_path, pooling="mean"))
    vectors = embedder.embed(["red", "red green blue", ""])
    assert np.allclose(vectors, [unit(1, 0, 1), unit(1, 4, 5), unit(0, 0, 1)], atol=1e-6)


def test_cls_pooling_takes_the_first_state(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(write_model(tmp_path, pooling="cls"), threads=1)
    assert np.allclose(embedder.embed(["red", "red green blue"]), [unit(0, 0, 1)] * 2, atol=1e-6)


def test_results_come_back_in_the_order_of_the_texts_over_many_batches(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(write_model(tmp_path))
    texts = ["red " * (number % 5) + ("green" if number % 2 else "blue") for number in range(300)]
    expected = [embedder.embed([text])[0] for text in texts[:10]]
    vectors = embedder.embed(texts)
    assert np.allclose(vectors, expected * 30, atol=1e-6)


def test_texts_that_are_begun_ahead_get_the_vectors_they_get_alone(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(write_model(tmp_path, document_prefix="green "))
    slices = [["red blue", "red", "blue"], [], ["green"], ["blue red green"]]
    with embedder.ahead() as begin:
        begun = [begin(texts) for texts in slices]
        found = [vectors() for vectors in begun]
    assert all(np.allclose(one, embedder.embed(texts), atol=1e-6) for one, texts in zip(found, slices, strict=True))
    assert found[1].shape == (0, 3)


def test_what_waits_its_turn_is_given_up_when_the_work_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = OnnxEmbedder(write_model(tmp_path), threads=1)
    computing, left = threading.Event(), threading.Event()
    computed: list[Any] = []

    class Leaving(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            left.set()
            super().shutdown(wait=wait)

    def run(model: Any, batch: Any) -> Any:
        computing.set()
        assert left.wait(60)
        computed.append(batch)
        return np.zeros((1, 3), np.float32)

    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor", Leaving)
    monkeypatch.setattr(embedder, "run_batch", run)
    with pytest.raises(KeyboardInterrupt), embedder.ahead() as begin:
        begin(["red"])
        waiting = begin(["green"])
        assert computing.wait(60)
        raise KeyboardInterrupt
    assert len(computed) == 1
    with pytest.raises(CancelledError):
        waiting()


def test_the_window_cuts_long_texts_and_the_counter_does_not(tmp_path: Path) -> None:
    folder = write_model(tmp_path)
    embedder = OnnxEmbedder(folder)
    assert np.array_equal(*embedder.embed(["red red red red", "red red red red blue blue"]))
    assert token_counter(folder).count("red red red red blue blue") == 6


def test_prefixes_tell_a_query_from_a_document(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(write_model(tmp_path, query_prefix="green ", document_prefix="red "))
    assert np.allclose(embedder.embed_query("blue"), unit(0, 4, 5), atol=1e-6)
    assert np.allclose(embedder.embed(["blue"])[0], unit(1, 3, 5), atol=1e-6)


def test_a_lone_surrogate_is_an_unknown_token_and_not_an_error(tmp_path: Path) -> None:
    embedder = OnnxEmbedder(write_model(tmp_path))
    assert np.allclose(embedder.embed_query("\ud800"), unit(1, 1, 2), atol=1e-6)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"dimensions": 4}, "tiny gives 1×3×3 values, but its model.json says 4 dimensions and pooling mean"),
        ({"pooling": "graph"}, "tiny gives 1×3×3 values, but its model.json says 3 dimensions and pooling graph"),
    ],
)
def test_a_graph_that_does_not_match_its_description_is_refused(
    tmp_path: Path, about: dict[str, Any], message: str
) -> None:
    embedder = OnnxEmbedder(write_model(tmp_path, **about))
    with pytest.raises(ModelUnavailable) as caught:
        embedder.embed(["red"])
    assert (caught.value.message, caught.value.hint) == (message, REMEDY)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value"),
        ("[]", "does not describe a model"),
        ('{"name": "x", "revision": "1", "dimensions": 3}', "'window' is missing"),
        ('{"name": "x", "revision": "1", "dimensions": 0, "window": 6}', "dimensions must be at least 1"),
        ('{"name": "x", "revision": "1", "dimensions": 3, "window": 6, "pooling": "max"}', "pooling 'max'"),
        ('{"format": 2}', "its format is 2, this version reads 1"),
    ],
)
def test_a_model_json_that_makes_no_sense_is_refused_with_the_reason(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(ModelUnavailable) as caught:
        OnnxEmbedder(tmp_path)
    assert reason in caught.value.message
    assert str(tmp_path / "model.json") in caught.value.message


def test_a_folder_without_model_json_is_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="cannot be read") as caught:
        token_counter(tmp_path)
    assert caught.value.hint == REMEDY
