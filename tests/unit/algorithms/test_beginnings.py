"""The tokens of words that are written with a beginning: none is missed, and what is doubtful is said to be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from octavo.algorithms.queries.prefix_expansion import beginning
from octavo.algorithms.text.search_tokenizer import Analyzer, written_words

ANALYZER = Analyzer()
DOCS = Path(__file__).parents[3] / "docs"
IRREGULAR = "dying lying tying skies hoping many any happiness capability possibly usability ugly early only news"
OTHER_SCRIPTS = "телескопами библиотека البيانات किताबों χρήστης работающими"


def english_words() -> list[str]:
    read = " ".join(path.read_text("utf-8") for path in sorted((DOCS / "guides").glob("*.md")))
    return sorted({*re.findall("[a-z]{2,}", read.lower()), *IRREGULAR.split()})


def test_a_word_is_found_by_every_beginning_of_it() -> None:
    missed = [
        (word[:length], word)
        for word in (*english_words(), *OTHER_SCRIPTS.split())
        for length in range(1, len(word) + 1)
        if (start := ANALYZER.prefix(word[:length]))
        if not (tokens := beginning(start)).stems.count(token := ANALYZER.tokens(word)[0])
        and not token.startswith(tokens.prefix)
    ]
    assert missed == []


def test_a_token_that_begins_so_is_of_a_word_that_does_or_is_doubtful() -> None:
    wrong = [
        (start, word)
        for word in english_words()
        if not word.startswith(token := ANALYZER.tokens(word)[0])
        for length in range(1, len(token) + 1)
        if not word.startswith(start := token[:length]) and token not in beginning(start).doubtful
    ]
    assert wrong == []


@pytest.mark.parametrize(("start", "stems"), [("runn", ("run",)), ("many", ("mani",)), ("ens", ("en",)), ("mana", ())])
def test_a_beginning_is_widened_to_no_shorter_one(start: str, stems: tuple[str, ...]) -> None:
    assert beginning(start).prefix == start
    assert beginning(start).stems == stems


def test_written_words_are_folded_and_not_stemmed() -> None:
    assert written_words().joined("Running Cafés, getUserIds") == "running cafes getuserids get user ids"
