"""What a language model is told beside the hits of a search."""

from __future__ import annotations

from octavo.model.search_result import Freshness
from octavo.operations.search.rendering import search_model_lines
from octavo.operations.search.results import SearchAnswer
from octavo.operations.styled_answer_lines import written


def told(*, compared: int | None) -> str:
    freshness = Freshness(5, 0, 0, 1.0, queued=1, age_seconds=compared)
    return written(search_model_lines(SearchAnswer("hybrid", 1.0, (), freshness)))


def test_a_first_read_of_the_folders_is_not_said_to_be_a_change_of_one_file() -> None:
    assert "folders still being read for the first time" in told(compared=None)
    assert "1 change on disk not looked at yet" in told(compared=30)
