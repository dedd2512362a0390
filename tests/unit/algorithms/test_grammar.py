"""Which texts are boolean queries, and what they mean."""

from __future__ import annotations

import pytest

from octavo.algorithms.queries.boolean_query_grammar import operands
from octavo.algorithms.queries.query_parsing import parse_query
from octavo.algorithms.text.search_tokenizer import Analyzer
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
    assert operands(text) is None
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


def test_a_phrase_may_follow_a_parenthesis() -> None:
    terms = read('("error code" OR timeout)')
    code = Condition("holds", ("error", "code"))
    assert terms.condition == Condition("any", parts=(code, Condition("holds", ("timeout",))))
    assert read('("big old house" OR red)').words == ("red", "big", "old", "hous")
    assert read('("error code") red').phrases == (("error", "code"),)


def test_operators_do_not_tell_the_language_of_a_query() -> None:
    terms, _ = parse_query("Haus AND Nachbar", ANALYZER, ["de"])
    assert [word.forms for word in terms.forms] == [("_de_haus",), ("_de_nachbar",)]


def test_words_side_by_side_are_alternatives_in_every_language() -> None:
    terms, _ = parse_query("Haus Nachbar AND Nacht", ANALYZER, ["de"])
    assert terms.condition is not None
    either, night = terms.condition.parts
    assert either.kind == "any" and len(either.parts) == 2
    assert night == Condition("any", parts=(Condition("holds", ("nacht",)), Condition("holds", ("_de_nacht",))))


@pytest.mark.parametrize("text", ["red AND (green OR", "red AND green)", "red AND OR NOT green OR", "(red AND (green"])
def test_what_lacks_its_other_half_counts_for_nothing(text: str) -> None:
    operator = "any" if text.startswith("red AND OR") else "all"
    green = Condition("not", parts=(GREEN,)) if "NOT" in text else GREEN
    assert read(text).condition == Condition(operator, parts=(RED, green))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("red AND (green OR", "OR at character 16 has nothing after it"),
        ("red AND green)", "the parenthesis at character 14 was not opened"),
        ("red AND OR green", "OR at character 9 has nothing before it"),
        ("(red AND (green", "the parenthesis at character 10 is not closed"),
        ("red AND f(x) -(green OR blue)", ""),
        ('"red (" AND NOT green', ""),
        ("red (green", ""),
    ],
)
def test_what_counts_for_nothing_is_named_with_its_place(text: str, problem: str) -> None:
    assert read(text).problem == (f"operators: {problem}, so it counts for nothing" if problem else "")


def test_a_parenthesis_may_be_refused() -> None:
    refused = Condition("not", parts=(Condition("any", parts=(RED, GREEN)),))
    assert read("blue -(red OR green)").condition == Condition("all", parts=(Condition("holds", ("blue",)), refused))
    assert read("blue -(red green)").words == ("blue",)


def test_a_character_of_chinese_may_be_refused_and_a_flag_may_not() -> None:
    cat = Condition("not", parts=(Condition("holds", ("猫",), prefix=True),))
    assert read("睡觉 -猫").condition == cat
    assert read("git commit -m").condition is None


def test_chinese_has_no_capitals_to_shout_in() -> None:
    assert operands("一 二 三 四 五 六 AND 七") is not None


def test_the_parts_of_a_joined_word_are_no_words_of_their_own() -> None:
    terms, _ = parse_query("-Mail-Adresse", ANALYZER, ["de"])
    assert terms.excluded[1:] == (("_de_mail", "_de_adress"),)
