"""Names that have the letters of a query in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from octavo.interfaces.cli.commands.search_as_you_type import fuzzy_order, fuzzy_score


def test_starts_of_words_count_more_than_letters_within() -> None:
    names = ["lost objects close.md", "observing/Closing down.md"]
    assert fuzzy_order("obsclo", names) == ["observing/Closing down.md", "lost objects close.md"]


def test_letters_in_another_order_do_not_match() -> None:
    assert fuzzy_score("nwod", "down.md") is None
    assert fuzzy_order("zz", ["down.md"]) == []


def test_without_a_query_every_name_matches_in_order_of_length() -> None:
    assert fuzzy_order("", ["bb", "a", "ab"]) == ["a", "ab", "bb"]


@given(st.text(max_size=20), st.text(max_size=40))
def test_a_match_has_the_letters_in_order(query: str, name: str) -> None:
    letters = [letter for letter in query.casefold() if not letter.isspace()]
    rest = iter(name.casefold())
    assert (fuzzy_score(query, name) is not None) == all(letter in rest for letter in letters)
