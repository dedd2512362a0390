"""Counting tokens: the general counter over a tokenizer.json, and the bounds of the word cache."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wordpiece_words import VOCABULARY, reference_tokenizer

from octavo.embedding import bounded_cache
from octavo.embedding.tokenizer_json import TokenizersCounter
from octavo.embedding.wordpiece import WordPieceCounter, load_vocabulary
from octavo.errors import ModelUnavailable

EXACT = WordPieceCounter(load_vocabulary(VOCABULARY))


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


def test_the_vocabulary_has_every_token_under_its_number() -> None:
    assert load_vocabulary(VOCABULARY) == reference_tokenizer().get_vocab(with_added_tokens=True)


def test_the_cache_is_emptied_when_it_is_full_and_counting_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_cache, "MAX_WORDS", 10)
    counter = WordPieceCounter(load_vocabulary(VOCABULARY))
    text = " ".join(f"w{number}" for number in range(100))
    assert counter.count(text) == EXACT.count(text)
    assert len(counter.word_ids) <= 10


def test_a_file_that_is_no_tokenizer_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelUnavailable, match=r"tokenizer\.json is not a tokenizer"):
        TokenizersCounter(tmp_path / "tokenizer.json").count("text")
