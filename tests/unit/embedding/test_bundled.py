"""The embedder that ships: what its vectors promise, and what happens when its files are not what they were."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from octavo.embedding.bundled_embedder import MODEL_DIRECTORY, REMEDY, bundled_counter, bundled_embedder
from octavo.embedding.onnx_embedder import OnnxEmbedder
from octavo.errors import ModelUnavailable

TEXTS = [
    "How to reset a forgotten password",
    "",
    "def parse(text: str) -> Document:\n    return Document(text)\n",
    "The mitochondrion is the powerhouse of the cell. " * 12,
    "où est la bibliothèque municipale",
    "a",
    "| column | another |\n|---|---|\n| 1 | 2 |\n",
]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return bundled_embedder()


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(MODEL_DIRECTORY, tmp_path / "model"))


def test_the_profile_names_the_model_and_its_window(embedder: OnnxEmbedder) -> None:
    profile = embedder.profile
    assert (profile.name, profile.model) == ("octavo-encoder-2", "octavo/octavo-encoder-2")
    assert (profile.dimensions, profile.window, profile.distance) == (384, 256, "cosine")
    graph = sha256((MODEL_DIRECTORY / "model.onnx").read_bytes()).hexdigest()
    assert profile.revision == f"int8-{graph[:12]}"


def test_vectors_are_float32_of_length_one(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_no_texts_give_no_rows(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_a_text_has_the_same_bytes_alone_in_any_company_and_in_any_order(embedder: OnnxEmbedder) -> None:
    together = embedder.embed(TEXTS)
    assert [row.tobytes() for row in together] == [embedder.embed([text])[0].tobytes() for text in TEXTS]
    assert np.array_equal(embedder.embed(TEXTS[::-1]), together[::-1])


def test_the_number_of_threads_does_not_change_the_bytes(embedder: OnnxEmbedder) -> None:
    expected = embedder.embed(TEXTS)
    assert np.array_equal(bundled_embedder(threads=1).embed(TEXTS), expected)
    assert np.array_equal(bundled_embedder(threads=5).embed(TEXTS), expected)


def test_a_fresh_embedder_may_be_used_from_several_threads_at_once(embedder: OnnxEmbedder) -> None:
    expected = embedder.embed(TEXTS)
    fresh = bundled_embedder(threads=2)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(lambda _: fresh.embed(TEXTS), range(4)):
            assert np.array_equal(vectors, expected)


def test_a_query_is_embedded_as_a_document_and_remembered(embedder: OnnxEmbedder) -> None:
    vector = embedder.embed_query(TEXTS[0])
    assert vector.shape == (384,)
    assert np.array_equal(vector, embedder.embed(TEXTS[:1])[0])
    assert embedder.embed_query(TEXTS[0]) is vector
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 0.0


def test_a_question_is_the_same_with_and_without_its_mark(embedder: OnnxEmbedder) -> None:
    assert embedder.embed_query("can I get my money back") is embedder.embed_query("can I get my money back?")


def test_a_text_longer_than_the_window_is_cut_at_the_window(embedder: OnnxEmbedder) -> None:
    words = [f"word{number}" for number in range(2000)]
    counter = bundled_counter()
    ends = [end for end, _ in counter.words(" ".join(words))]
    fitting = max(number for number in range(200) if counter.count(" ".join(words)[: ends[number]]) <= 254)
    cut = " ".join(words)[: ends[fitting]]
    missing = 254 - counter.count(cut)
    assert np.array_equal(*embedder.embed([f"{cut}{' a' * missing} {tail}" for tail in ("", " ".join(words))]))


def test_texts_about_the_same_thing_are_closer_than_others(embedder: OnnxEmbedder) -> None:
    cats, kitten, bond = embedder.embed(
        ["Cats sleep most of the day.", "A kitten naps for hours.", "The central bank raised its interest rate."]
    )
    assert cats @ kitten > 0.5
    assert cats @ kitten > cats @ bond + 0.3


def test_vectors_are_close_to_those_of_the_float_graph(embedder: OnnxEmbedder) -> None:
    expected = [-0.0952, -0.0346, -0.0374, 0.0211, -0.0320, 0.0544]
    assert np.allclose(embedder.embed(["Straight to the right page."])[0, :6], expected, atol=0.015)


def test_every_shipped_file_has_the_sha256_that_model_json_records(embedder: OnnxEmbedder) -> None:
    recorded = json.loads((MODEL_DIRECTORY / "model.json").read_text())["files"]
    assert set(recorded) == {path.name for path in MODEL_DIRECTORY.iterdir()} - {"model.json"}
    for name, entry in recorded.items():
        data = (MODEL_DIRECTORY / name).read_bytes()
        assert (len(data), sha256(data).hexdigest()) == (entry["bytes"], entry["sha256"])
    assert embedder.verify() == ()


@pytest.mark.parametrize("name", ["model.onnx", "words.bin", "vocab.txt"])
def test_a_shortened_file_is_refused_by_name_with_a_hint(copied: Path, name: str) -> None:
    data = (copied / name).read_bytes()
    (copied / name).write_bytes(data[:-10])
    embedder = OnnxEmbedder(copied, remedy=REMEDY)
    with pytest.raises(ModelUnavailable) as caught:
        embedder.embed(["text"])
    expected = f"{copied / name} is damaged: {len(data) - 10} bytes instead of {len(data)}"
    assert (caught.value.message, caught.value.hint) == (expected, REMEDY)


def test_a_missing_graph_is_refused_by_name_with_a_hint(copied: Path) -> None:
    (copied / "model.onnx").unlink()
    with pytest.raises(ModelUnavailable, match=r"model\.onnx cannot be read: No such file") as caught:
        OnnxEmbedder(copied, remedy=REMEDY).embed_query("text")
    assert caught.value.hint == REMEDY


def test_a_graph_that_is_garbage_of_the_right_length_is_refused_when_it_is_loaded(copied: Path) -> None:
    graph = copied / "model.onnx"
    graph.write_bytes(b"\xff" * graph.stat().st_size)
    with pytest.raises(ModelUnavailable, match=r"model\.onnx cannot be loaded"):
        OnnxEmbedder(copied).embed(["text"])


def test_verifying_finds_a_file_that_changed_without_changing_its_length(copied: Path) -> None:
    graph = copied / "model.onnx"
    data = bytearray(graph.read_bytes())
    data[len(data) // 2] ^= 1
    graph.write_bytes(data)
    (copied / "LICENSE").unlink()
    assert OnnxEmbedder(copied).verify() == (
        f"{copied / 'LICENSE'} cannot be read: No such file or directory",
        f"{graph} is damaged: its sha256 is not the recorded one",
    )


def test_making_the_embedder_and_counting_tokens_loads_neither_numpy_nor_a_runtime() -> None:
    program = (
        "import sys; from octavo.embedding.bundled_embedder import bundled_embedder, bundled_counter; "
        "bundled_embedder().profile; bundled_counter().count('one two'); "
        "print(*sorted({'numpy', 'onnxruntime', 'tokenizers'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_query_needs_no_tokenizers_and_says_nothing_on_stdout_or_stderr() -> None:
    program = (
        "import sys; from octavo.embedding.bundled_embedder import bundled_embedder; "
        "bundled_embedder().embed_query('one'); print('tokenizers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_nothing_is_noted_down_for_the_maker_of_the_runtime(tmp_path: Path) -> None:
    """Some builds of onnxruntime keep events for their maker in the user's cache and send them when they can."""
    program = "from octavo.embedding.bundled_embedder import bundled_embedder; bundled_embedder().embed(['water'])"
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    environ = {name: one for name, one in os.environ.items() if not name.startswith(("XDG_", "ORT_"))} | home
    subprocess.run([sys.executable, "-c", program], env=environ, check=True, timeout=120)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
