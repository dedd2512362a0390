"""The embedder and the counter that tests use instead of a model."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from octavo.embedding.hashing_embedder import HashingEmbedder, WhitespaceCounter


@given(st.lists(st.text(st.characters()), max_size=6), st.integers(1, 100))
def test_any_texts_give_unit_vectors_that_do_not_depend_on_each_other(texts: list[str], dimensions: int) -> None:
    embedder = HashingEmbedder(dimensions)
    vectors = embedder.embed(texts)
    assert vectors.shape == (len(texts), dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        assert np.array_equal(embedder.embed_query(text), vector)


def test_shared_words_and_shared_spellings_bring_texts_closer() -> None:
    vectors = HashingEmbedder().embed(["indexing folders", "folders and indexing", "indexed folder", "a cold beer"])
    similar = vectors @ vectors[0]
    assert similar[1] > similar[2] > similar[3]


def test_two_processes_agree_on_every_byte() -> None:
    program = (
        "from octavo.embedding.hashing_embedder import HashingEmbedder as H; print(H().embed(['a b']).tobytes().hex())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == HashingEmbedder().embed(["a b"]).tobytes().hex()


def test_the_name_and_the_dimensions_tell_two_hashing_embedders_apart() -> None:
    assert HashingEmbedder(64).profile != HashingEmbedder(32).profile


def test_whitespace_separates_the_tokens_of_the_simple_counter() -> None:
    counter = WhitespaceCounter()
    assert counter.count(" one  two\nthree ") == 3
    assert counter.words(" one  two\nthree ") == [(4, 1), (9, 1), (15, 1)]
