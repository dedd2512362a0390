"""The words of a Japanese question without endings, particles and what asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.algorithms.text.japanese_content_words import without_endings
from octavo.algorithms.text.search_tokenizer import Analyzer

ANALYZER = Analyzer()
HIRAGANA = "のはがをにでとですかもやなられしたけ"
TOKENS = st.lists(st.text(alphabet="猫名前会議何誰カナab" + HIRAGANA, min_size=1, max_size=2), max_size=12)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("猫の名前は何ですか", {"猫", "名前"}),
        ("会議は何時からですか", {"会議"}),
        ("誰が資料を作りますか", {"資料", "作"}),
        ("ホテルはどこですか", {"ホテ", "テル"}),
        ("どこにありますか", set(ANALYZER.query_tokens("どこにありますか"))),
        ("数据库备份", {"数据", "据库", "库备", "备份"}),
        ("when is the meeting?", {"meet"}),
    ],
)
def test_a_question_is_about_its_words_without_endings(question: str, words: set[str]) -> None:
    assert set(without_endings(ANALYZER.query_tokens(question))) == words


@given(TOKENS)
def test_every_word_is_a_token_or_a_character_of_one_and_some_are_left(tokens: list[str]) -> None:
    words = without_endings(tokens)
    assert bool(words) == bool(tokens)
    assert all(any(word in token for token in tokens) for word in words)


@given(TOKENS)
def test_what_has_lost_its_endings_has_none_to_lose(tokens: list[str]) -> None:
    words = without_endings(tokens)
    assert without_endings(words) == list(words)


@given(st.lists(st.text(alphabet="abc猫何", min_size=1, max_size=3)))
def test_without_hiragana_nothing_is_left_out(tokens: list[str]) -> None:
    assert without_endings(tokens) == tokens
