"""What a query with no hit or weak ones may have meant, in the vault of the examples."""

from __future__ import annotations

import pytest

from octavo.engine.engine import Engine
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_execution import find


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ('"colimation"', '"collimation"'),
        ('"telesocpe"', '"telescope"'),
        ("tag:colimation", None),
        ('"qwertzuiop"', None),
        ('"moth"', None),
    ],
)
def test_a_misspelt_word_without_a_hit_is_answered_with_the_nearest_of_the_library(
    engine: Engine, query: str, meant: str | None
) -> None:
    result = find(engine, SearchRequest(query))
    assert (result.hits, result.did_you_mean) == ((), meant)


def test_what_the_filters_leave_out_is_not_suggested(engine: Engine) -> None:
    assert find(engine, SearchRequest('"colimation"', tags_all=("nobody-has-this",))).did_you_mean is None


def test_weak_hits_come_with_a_suggestion(engine: Engine) -> None:
    result = find(engine, SearchRequest("telesocpe"))
    assert result.hits and result.did_you_mean == "telescope"


def test_a_search_with_good_hits_suggests_nothing(engine: Engine) -> None:
    result = find(engine, SearchRequest("collimation"))
    assert result.hits and result.did_you_mean is None
