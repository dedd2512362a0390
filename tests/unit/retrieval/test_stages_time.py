"""Recency and time ranges."""

from __future__ import annotations

import pytest
from samples import MODIFIED
from stage_samples import asking, details, library, listed, note, uris

from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import SkipStage
from octavo_stages.recency_and_time_range import RecencyDecay, RecencyTiers, TimeRange

DAY = 86_400.0


@pytest.fixture
def aged() -> SearchedLibrary:
    days = {"old.md": 400.0, "month.md": 20.0, "week.md": 3.0, "future.md": -5.0}
    return library(*(note(uri, uri, modified_at=MODIFIED - age * DAY) for uri, age in days.items()))


def test_the_first_tier_that_fits_multiplies_the_score(aged: SearchedLibrary) -> None:
    refined = RecencyTiers().refine(asking(aged), listed(aged, 1.0, 1.0, 1.0, 0.5))
    assert [(one.uri, round(one.score, 6)) for one in refined] == [
        ("week.md", 1.2), ("month.md", 1.1), ("old.md", 1.0), ("future.md", 0.6),
    ]  # fmt: skip
    assert details(refined, "recency_tiers") == {
        "week.md": "times 1.2, changed 3 days ago",
        "month.md": "times 1.1, changed 20 days ago",
        "future.md": "times 1.2, changed 0 days ago",
    }


def test_a_negative_score_is_never_lowered_by_being_new(aged: SearchedLibrary) -> None:
    given = listed(aged, 1.0, -0.5, -0.6, -2.0)
    refined = RecencyTiers().refine(asking(aged), given)
    before = {one.uri: one.score for one in given}
    assert all(one.score >= before[one.uri] for one in refined)
    assert uris(refined) == ["old.md", "week.md", "month.md", "future.md"]


def test_what_a_document_gains_halves_with_every_half_life(aged: SearchedLibrary) -> None:
    refined = RecencyDecay(half_life_days=10.0, boost=2.0).refine(asking(aged), listed(aged, 1.0, 1.0, 1.0, 1.0))
    scores = {one.uri: one.score for one in refined}
    assert scores["future.md"] == 2.0
    assert scores["month.md"] == pytest.approx(1.25)
    assert scores["old.md"] == pytest.approx(1.0)


def test_a_time_range_keeps_the_order_of_what_it_lets_through(aged: SearchedLibrary) -> None:
    search, given = asking(aged), listed(aged)
    assert uris(TimeRange(within_days=30).refine(search, given)) == ["month.md", "week.md", "future.md"]
    assert uris(TimeRange(before_days=30).refine(search, given)) == ["old.md"]
    assert uris(TimeRange(within_days=30, before_days=10).refine(search, given)) == ["month.md"]


def test_stages_of_time_without_a_time_are_skipped(aged: SearchedLibrary) -> None:
    for stage in (TimeRange(), RecencyTiers(tiers=()), RecencyDecay(half_life_days=0.0)):
        with pytest.raises(SkipStage):
            stage.refine(asking(aged), listed(aged))
