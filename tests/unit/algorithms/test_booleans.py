"""Which texts are boolean queries, and what they mean."""

from __future__ import annotations

import pytest

from octavo.algorithms.analysis import Analyzer
from octavo.algorithms.booleans import is_boolean
from octavo.algorithms.syntax import parse_query
from octavo.model.query import Condition, Filters, Terms

ANALYZER = Analyzer()
RED, GREEN = Condition("holds", ("red",)), Condition("holds", ("green",))


@pytest.mark.parametrize(
    "text",
    [
        "how do I NOT lose my session?",
        "SELECT name FROM users WHERE id = 1 AND age > 3",
        "THE WHOLE LINE IS IN CAPITALS AND NOBODY MEANS IT",
        "salt and pepper or nothing",
        "AND",
        "NOT",
        "AND OR",
        "I really do NOT want the old behaviour of this function at all",
    ],
)
def test_words_that_only_look_like_operators_are_words(text: str) -> None:
    assert not is_boolean(text)
    assert parse_query(text, ANALYZER)[0].condition is None


def read(text: str) -> Terms:
    return parse_query(text, ANALYZER)[0]


def test_what_is_refused_is_neither_looked_for_nor_embedded() -> None:
    terms = read("session NOT token")
    assert (terms.text, terms.words) == ("session", ("session",))
    refused = Condition("not", parts=(Condition("holds", ("token",)),))
    assert terms.condition == Condition("all", parts=(Condition("holds", ("session",)), refused))


def test_and_binds_closer_than_or() -> None:
    both = Condition("all", parts=(RED, GREEN))
    assert read("red AND green OR blue").condition == Condition("any", parts=(both, Condition("holds", ("blue",))))


def test_words_side_by_side_are_alternatives() -> None:
    assert read("red green AND blue").condition == Condition(
        "all", parts=(Condition("any", parts=(RED, GREEN)), Condition("holds", ("blue",)))
    )


def test_two_negations_cancel_each_other() -> None:
    terms = read("green AND NOT (NOT red)")
    assert terms.words == ("green", "red")


def test_filters_may_stand_among_operators() -> None:
    terms, filters = parse_query("tag:work OR tag:home", ANALYZER)
    assert filters == Filters()
    assert (terms.text, terms.words) == ("", ())
    assert terms.condition == Condition(
        "any",
        parts=(
            Condition("passes", filters=Filters(tags_all=("work",))),
            Condition("passes", filters=Filters(tags_all=("home",))),
        ),
    )


@pytest.mark.parametrize("text", ["path:docs/", "-word", "tag:work -kind:code", "-begin*", "NOT token", "in:notes"])
def test_a_query_of_filters_or_exclusions_has_no_text_to_look_for(text: str) -> None:
    terms = read(text)
    assert terms.text == ""
    assert terms.empty


@pytest.mark.parametrize("text", ["???", "...", "- -", '"', "<>", "  "])
def test_punctuation_alone_is_no_query(text: str) -> None:
    assert read(text) == Terms("")


def test_a_prefix_may_be_refused() -> None:
    terms = read("lamp -begin*")
    assert terms.words == ("lamp",)
    assert terms.condition == Condition("not", parts=(Condition("holds", (ANALYZER.prefix("begin"),), prefix=True),))
