"""What searches remember of texts they have read, and of the library's state."""

from __future__ import annotations

import pytest

from octavo.retrieval import candidate_and_text_cache
from octavo.retrieval.candidate_and_text_cache import RememberedTexts, SearchMemory


def test_a_text_that_was_read_is_known() -> None:
    texts = RememberedTexts()
    texts.remember({"a": "first", "b": "second"})
    assert texts.known(["a", "c"]) == {"a": "first"}


def test_what_nobody_asks_for_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidate_and_text_cache, "MOST_CHARACTERS", 10)
    texts = RememberedTexts()
    texts.remember({"asked": "12345", "forgotten": "12345"})
    texts.remember({"third": "12345"})  # the half is full: another begins
    assert texts.known(["asked"]) == {"asked": "12345"}
    texts.remember({"fourth": "12345"})
    assert texts.known(["asked", "third", "fourth", "forgotten"]) == {
        "asked": "12345",
        "third": "12345",
        "fourth": "12345",
    }


def test_a_book_does_not_push_out_the_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidate_and_text_cache, "LONGEST_TEXT", 5)
    texts = RememberedTexts()
    texts.remember({"note": "short", "book": "longer"})
    assert texts.known(["note", "book"]) == {"note": "short"}


def test_a_full_memory_keeps_what_is_true_of_the_whole_library_until_that_changes() -> None:
    generation = 1
    memory = SearchMemory(lambda: generation)
    first = memory.state()
    first.has_code, first.at_most[1_000] = True, False
    first.containing.update({((str(number),), None): () for number in range(10_000)})
    emptied = memory.state()
    assert not emptied.containing and emptied.has_code and emptied.at_most == {1_000: False}
    assert len(first.containing) == 10_000, "a search that began before goes on with what it knows"
    assert memory.state() is emptied
    generation = 2
    assert memory.state().has_code is None and not memory.state().at_most
