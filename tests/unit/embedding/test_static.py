"""The fast table: sums of token rows in its encoder's space."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples

from octavo.embedding.bundled_embedder import bundled_embedder, bundled_fast_embedder
from octavo.embedding.static_token_embedder import StaticEmbedder
from octavo.errors import ModelUnavailable

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "dome", "rain", "close", "##s", "."]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = np.zeros((len(VOCABULARY), 4), np.int8)
    rows[5], rows[6], rows[7] = (100, 0, 0, 0), (0, 100, 0, 0), (0, 0, 50, 0)
    np.savez(tmp_path / "table.npz", rows=rows, scales=np.full(len(VOCABULARY), 0.5, np.float32))
    (tmp_path / "vocab.txt").write_text("\n".join(VOCABULARY), encoding="utf-8")
    about = {"format": 1, "name": "tiny", "revision": "1", "dimensions": 4, "window": 16, "tokenizer": "wordpiece"}
    (tmp_path / "model.json").write_text(json.dumps(about | {"space": "encoder-1", "power": 0.5}), encoding="utf-8")
    return tmp_path


def test_a_text_is_the_sum_of_its_tokens_each_by_the_root_of_its_count(folder: Path) -> None:
    (vector,) = StaticEmbedder(folder).embed(["dome dome dome dome rain"])
    assert vector == pytest.approx(np.array([2, 1, 0, 0]) / np.sqrt(5), abs=1e-6)


def test_a_text_without_known_tokens_has_a_vector_of_zeros(folder: Path) -> None:
    assert not StaticEmbedder(folder).embed([""]).any()


def test_the_table_says_whose_space_it_is_in(folder: Path) -> None:
    assert StaticEmbedder(folder).space == "encoder-1"


def test_a_table_of_other_dimensions_is_refused_by_name(folder: Path) -> None:
    about = json.loads((folder / "model.json").read_text("utf-8"))
    (folder / "model.json").write_text(json.dumps(about | {"dimensions": 8}), encoding="utf-8")
    with pytest.raises(ModelUnavailable, match=r"table\.npz has rows of shape"):
        StaticEmbedder(folder).embed(["dome"])


def test_a_file_that_is_no_table_is_refused_by_name(folder: Path) -> None:
    (folder / "table.npz").write_bytes(b"nothing of the kind")
    with pytest.raises(ModelUnavailable, match="is not a table"):
        StaticEmbedder(folder).embed(["dome"])


@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.text(max_size=60), min_size=1, max_size=8))
def test_a_vector_depends_on_its_text_alone(texts: list[str]) -> None:
    fast = bundled_fast_embedder()
    together = fast.embed(texts)
    assert together == pytest.approx(np.stack([fast.embed_query(text) for text in texts]), abs=1e-5)
    lengths = np.linalg.norm(together, axis=1)
    assert lengths == pytest.approx(together.any(axis=1).astype(float), abs=1e-4)


def test_the_bundled_table_is_in_the_bundled_encoders_space() -> None:
    fast = bundled_fast_embedder()
    assert fast.space == bundled_embedder().profile.revision
    assert fast.profile.dimensions == bundled_embedder().profile.dimensions
    assert fast.verify() == ()


def test_a_question_by_the_encoder_finds_its_passage_by_the_table() -> None:
    passages = [
        "The dome is closed when the humidity rises above 85 per cent, to keep the mirror dry.",
        "Bread rises faster in a warm kitchen; leave the dough under a towel for an hour.",
        "The function parses a configuration file and returns a dictionary of settings.",
    ]
    vectors = bundled_fast_embedder().embed(passages)
    for number, question in enumerate(("when is the observatory shut?", "baking a loaf", "read config into dict")):
        assert int(np.argmax(vectors @ bundled_embedder().embed_query(question))) == number
