"""Counting tokens: by a tokenizer.json, by a vocab.txt, and the bounds of the word cache."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wordpiece_words import VOCABULARY, reference_tokenizer

from octavo.embedding import bpe
from octavo.embedding.bpe import IDS, BpeCounter
from octavo.embedding.bundled_embedder import MODELS
from octavo.embedding.huggingface_tokenizer import TokenizersCounter
from octavo.embedding.token_counters import WordPieceCounter
from octavo.errors import ModelUnavailable

EXACT = WordPieceCounter(VOCABULARY)


@pytest.fixture(scope="module")
def general(tmp_path_factory: pytest.TempPathFactory) -> TokenizersCounter:
    path = tmp_path_factory.mktemp("words") / "tokenizer.json"
    reference_tokenizer().save(str(path))
    return TokenizersCounter(path)


@given(st.text(st.characters(), max_size=60))
def test_both_counters_agree_and_the_words_of_each_add_up(general: TokenizersCounter, text: str) -> None:
    assert general.count(text) == EXACT.count(text)
    for counter in (general, EXACT):
        assert sum(tokens for _, tokens in counter.words(text)) == counter.count(text)


def test_words_say_where_they_end_and_how_many_tokens_they_have(general: TokenizersCounter) -> None:
    text = "  unaffable tokens,\n\tend"
    expected = [(11, 3), (19, 3), (24, 1)]
    assert (EXACT.words(text), general.words(text)) == (expected, expected)


def test_nothing_has_no_words_and_no_tokens(general: TokenizersCounter) -> None:
    for counter in (general, EXACT):
        assert (counter.count(""), counter.words("")) == (0, [])


def test_tokens_of_a_vocabulary_are_told_by_number_and_by_what_they_spell() -> None:
    text = "Unaffable tokens [SEP] \u2603 end"
    numbers = VOCABULARY.read_text("utf-8").split("\n").index
    spelled = ["una", "##ffa", "##ble", "token", "##s", "[SEP]", "[UNK]", "end"]
    assert EXACT.ids(text) == array(IDS, EXACT.packed(["", text])[1]).tolist() == list(map(numbers, spelled))
    assert EXACT.fitted(text, 2) == EXACT.ids(text, 2) == EXACT.ids(text)[:2]
    assert (EXACT.start, EXACT.end) == (numbers("[CLS]"), numbers("[SEP]"))
    assert EXACT.pieces("unaffable \u2603") == [("una", True), ("ffa", False), ("ble", False), ("", True)]


def test_a_long_word_makes_the_table_of_a_vocabulary_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    monkeypatch.setattr(bpe, "dict", lambda pairs: made.append(pairs) or dict(pairs), raising=False)
    BpeCounter((MODELS / "octavo-encoder-2" / "vocab.txt").read_bytes()).count("antidisestablishment")
    assert len(made) == 1


def test_the_cache_is_emptied_when_it_is_full_and_counting_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    words = (MODELS / "octavo-encoder-2" / "vocab.txt").read_bytes()
    text = " ".join(f"w{number}" for number in range(100))
    before = BpeCounter(words).count(text)
    monkeypatch.setattr(bpe, "MAX_WORDS", 10)
    counter = BpeCounter(words)
    assert (counter.count(text), counter.count(text)) == (before, before)


def test_a_file_that_is_no_tokenizer_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelUnavailable, match=r"tokenizer\.json is not a tokenizer"):
        TokenizersCounter(tmp_path / "tokenizer.json").count("text")
