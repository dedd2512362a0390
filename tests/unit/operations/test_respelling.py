"""What a query with no hit or weak ones may have meant, in the vault of the examples."""

from __future__ import annotations

import pytest

from octavo.engine.engine import Engine
from octavo.operations.operation_lookup import OPERATIONS
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.results import whole_answer
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


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("humidty dome", "humidity dome"),
        ("dome humidty limit", "dome humidity limit"),
        ("mirrror cleaning", "mirror cleaning"),
        ("dome humod", None),  # a short word has too many neighbours
        ("dome shutetr", "dome shutter"),
        ("dome saftey", "dome safety"),
        ("kubernetes mirror", None),
        ("shatter dome", None),  # nearest to shutter, and a word
        ("dome humidity", None),
    ],
)
def test_a_misspelt_word_beside_others_is_corrected_however_good_the_hits_are(
    engine: Engine, query: str, meant: str | None
) -> None:
    result = find(engine, SearchRequest(query), engine.retrieval_profile("lexical_only"))
    assert result.hits and result.did_you_mean == meant


def test_nothing_is_suggested_for_a_text_that_was_pasted(engine: Engine) -> None:
    pasted = "thread 'main' panicked at telesocpe.rs:4:5:\nno colimation of the qwertzuiop\n"
    assert find(engine, SearchRequest(pasted)).did_you_mean is None


def test_a_search_with_good_hits_suggests_nothing(engine: Engine) -> None:
    result = find(engine, SearchRequest("collimation"))
    assert result.hits and result.did_you_mean is None


@pytest.mark.parametrize(
    ("request_", "excluding"),
    [
        (SearchRequest("tag:nope dome"), "nothing has the tag nope"),
        (SearchRequest("dome", tags_all=("howto", "nope")), "nothing has the tag nope"),
        (SearchRequest("title:qwertz"), "no title has qwertz"),
        (SearchRequest("dome path:nowhere/"), "nothing lies at the path nowhere/"),
        (SearchRequest("dome", where=("rating>=4",)), "no document has such a property rating"),
        (SearchRequest("dome", modified_before="1990-01-01"), "nothing was changed in this time"),
        (SearchRequest("dome", uris=("nowhere.md",)), "no document is nowhere.md"),
        (SearchRequest("kind:note dome", kinds=("commit",)), "nothing passes all of these filters together"),
        (SearchRequest("tag:howto path:daily/"), "nothing passes all of these filters together"),
    ],
)
def test_the_filter_that_lets_nothing_through_is_named(engine: Engine, request_: SearchRequest, excluding: str) -> None:
    result = find(engine, request_)
    assert (result.hits, result.degraded, result.excluding) == ((), (), excluding)
    written = OPERATIONS["search"].written(whole_answer(result, explain=False))
    assert written.startswith(f"No match.\n{excluding[0].upper()}{excluding[1:]}.\n")


def test_a_filter_that_lets_something_through_is_not_to_blame(engine: Engine) -> None:
    assert find(engine, SearchRequest('tag:howto "qwertzuiop"')).degraded == ()
    assert find(engine, SearchRequest("https://example.org/qwertzuiop")).degraded == ()
