"""What a search reads: words of titles, and the chunks that hold a phrase, asked for once."""

from __future__ import annotations

import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stage_samples import library, note

from octavo.algorithms.text.search_tokenizer import shared_analyzer
from octavo.model.ids import ChunkKey
from octavo.retrieval.candidate_and_text_cache import SearchMemory
from octavo.retrieval.search_data_sources import SearchedLibrary, SearchText


@given(st.text(string.printable + "éÅß", max_size=30))
def test_a_title_is_said_by_a_query_with_all_of_its_words(title: str) -> None:
    tokens = shared_analyzer().tokens(title)
    assert list(SearchText().tokens_among(title, frozenset(tokens))) == tokens


def test_a_title_with_another_word_is_not_said() -> None:
    assert not SearchText().tokens_among("Polar alignment", frozenset({"polar"}))
    assert not SearchText().tokens_among("Alignment", frozenset({"polar"}))


QUESTIONS = (
    "How do I delete a published note?",
    "what is the difference between margin and padding",
    "weather in Zürich",
    "who die in the war of man",
    'fix `café` "exact phrase" -draft',
    "C++17 vs getUserById",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_word_of_an_english_question_counts(question: str) -> None:
    words = shared_analyzer().query_tokens(question)
    assert sorted(SearchText().content(words, question)) == sorted(words)


@given(st.text("abcdefghi dernuwiß猫の名前は何ですか", max_size=30))
def test_of_any_question_some_of_its_own_words_count(question: str) -> None:
    words = frozenset(shared_analyzer().query_tokens(question))
    content = SearchText().content(words, question)
    assert bool(content) == bool(words)
    assert all(any(word in token for token in words) for word in content)


def test_function_words_of_a_german_question_do_not_count() -> None:
    question = "Wie ist der Name von dem Hausmeister?"
    words = shared_analyzer().query_tokens(question)
    assert sorted(SearchText().content(words, question)) == ["hausmeist", "name"]


def test_a_phrase_is_looked_up_anew_once_the_library_has_changed() -> None:
    searched, asked = _counting(library(note("a", "the polar star"), note("b", "a star")))
    generation = 1
    searched = replace(searched, remembered=SearchMemory(lambda: generation))
    first = searched.containing(("polar", "star"))
    assert len(first) == 1 and searched.containing(["polar", "star"]) == first and len(asked) == 1
    assert searched.containing(("polar", "star"), 1) == first and len(asked) == 2
    generation = 2
    assert searched.containing(("polar", "star")) == first and len(asked) == 3


def _counting(searched: SearchedLibrary) -> tuple[SearchedLibrary, list[tuple[str, ...]]]:
    lexical = searched.store.lexical
    asked: list[tuple[str, ...]] = []
    ask = lexical.containing

    def containing(project: object, phrase: tuple[str, ...], **limits: object) -> list[ChunkKey]:
        asked.append(tuple(phrase))
        return list(ask(project, phrase, **limits))  # type: ignore[arg-type]

    lexical.containing = containing  # type: ignore[method-assign,assignment]
    return searched, asked
