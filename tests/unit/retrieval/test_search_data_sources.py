"""What a search reads: words of titles, and the chunks that hold a phrase, asked for once."""

from __future__ import annotations

import string
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from stage_samples import library, note

from octavo.algorithms.text.search_tokenizer import shared_analyzer
from octavo.model.ids import ChunkKey
from octavo.retrieval.search_data_sources import SearchedLibrary, SearchText
from octavo.retrieval.search_text_cache import SearchMemory


@given(st.text(string.printable + "éÅß", max_size=30))
def test_a_title_is_said_by_a_query_with_all_of_its_words(title: str) -> None:
    tokens = shared_analyzer().tokens(title)
    assert list(SearchText().tokens_among(title, frozenset(tokens))) == tokens


def test_a_title_with_another_word_is_not_said() -> None:
    assert not SearchText().tokens_among("Polar alignment", frozenset({"polar"}))
    assert not SearchText().tokens_among("Alignment", frozenset({"polar"}))


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
