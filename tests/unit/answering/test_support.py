"""Citations are checked: what a passage says is supported, what it does not say is not."""

from __future__ import annotations

import pytest
from cited_passages import passage

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.answering.citation_verification import CitationChecker, Support
from octavo.embedding.bundled_embedder import bundled_embedder

TEXT = (
    "The dome closes by itself when the humidity stays above 85 per cent for five minutes. "
    "The mirror is washed once a year, in May. "
    "Members increased the number of batteries to 1,200 in 2019."
)


@pytest.fixture(scope="module")
def checker() -> CitationChecker:
    embedder = bundled_embedder()
    passages = [passage(1, TEXT, start=40, line=3), passage(2, "Cats sleep in the shed all winter.", uri="b.md")]
    return CitationChecker(passages, lambda: embedder, Analyzer())


@pytest.mark.parametrize(
    "said",
    [
        "The dome closes by itself when the humidity stays above 85 per cent for five minutes.",
        "Above 85 per cent humidity the dome closes by itself.",
        "The mirror is washed once a year.",
        "The number of batteries was increased to 1200 in 2019.",
    ],
)
def test_what_a_passage_says_is_supported(checker: CitationChecker, said: str) -> None:
    assert checker.check(said, [1]).support is Support.SUPPORTED


@pytest.mark.parametrize(
    "said",
    [
        "The observatory was founded by a group of Portuguese monks.",
        "Electric cars need a special permit in the valley.",
        "The password of the server is hunter2.",
    ],
)
def test_what_no_passage_says_is_unsupported(checker: CitationChecker, said: str) -> None:
    assert checker.check(said, [1, 2]).support is Support.UNSUPPORTED


@pytest.mark.parametrize(
    "opposite",
    [
        "The mirror is not washed once a year.",
        "The dome closes above 60 per cent humidity.",
        "Members decreased the number of batteries to 1,200 in 2019.",
        "The mirror is washed once a year, in May 1987.",
        "The mirror is washed once a year by Mallory.",
        "The mirror is washed once a year by Ash.",
        "The mirror is washed once a year, in June.",
    ],
)
def test_the_opposite_of_what_is_said_is_never_supported(checker: CitationChecker, opposite: str) -> None:
    assert checker.check(opposite, [1]).support is not Support.SUPPORTED


def test_numbers_that_stand_nowhere_are_unsupported(checker: CitationChecker) -> None:
    assert checker.check("The dome closes above 60 per cent humidity.", [1]).support is Support.UNSUPPORTED


def test_a_sentence_without_citations_or_with_wrong_ones_is_unsupported(checker: CitationChecker) -> None:
    said = "The mirror is washed once a year."
    assert checker.check(said, []).support is Support.UNSUPPORTED
    assert checker.check(said, [7]).support is Support.UNSUPPORTED
    assert checker.check(said, [2]).support is Support.UNSUPPORTED
    assert checker.best_passage(said) == 1


def test_the_place_that_says_it_is_cited_exactly(checker: CitationChecker) -> None:
    (cited,) = checker.check("The mirror is washed once a year.", [1]).cited
    assert cited.quote == "The mirror is washed once a year, in May."
    assert TEXT[cited.span.start - 40 : cited.span.end - 40] == cited.quote
    assert cited.lines == (3, 3)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("The mirror is not washed once a year.", TEXT),
        ("Members decreased the number of batteries to 1,200 in 2019.", TEXT),
        ("Washing inhibits dust on the mirror.", "Washing the mirror induces dust. Dust on the mirror increases."),
    ],
)
def test_what_turns_round_all_that_is_near_it_is_unsupported(checker: CitationChecker, said: str, text: str) -> None:
    embedder = bundled_embedder()
    found = CitationChecker([passage(1, text)], lambda: embedder, Analyzer()).check(said, [1])
    assert found.evidence.turned and found.support is Support.UNSUPPORTED


def test_a_denial_of_what_is_denied_is_supported(checker: CitationChecker) -> None:
    embedder = bundled_embedder()
    text = "The dome never opens in rain. It reduces the noise, and increases the heat."
    denied = CitationChecker([passage(1, text)], lambda: embedder, Analyzer())
    assert denied.check("The dome never opens in rain.", [1]).support is Support.SUPPORTED
    assert not denied.check("The dome increases the heat.", [1]).evidence.turned
