"""Where the original of a converted document is found elsewhere."""

from __future__ import annotations

import pytest

from octavo.model.converted_file import Position, position, stretches
from octavo.model.normalised_text_and_spans import Span


@pytest.mark.parametrize(
    ("position", "address"),
    [
        (Position(page=7), ""),
        (Position(url="https://bees.example"), "https://bees.example"),
        (Position(url="https://bees.example", doi="10.1/bees"), "doi:10.1/bees"),
    ],
)
def test_a_document_is_found_elsewhere_by_its_doi_else_by_its_address(position: Position, address: str) -> None:
    assert position.address == address


def test_a_passage_over_several_pages_is_divided_and_placed_at_the_best_of_them() -> None:
    metadata = {"marks": {"unit": "page", "starts": [0, 100, 200]}}
    assert stretches(metadata, Span(50, 220)) == [Span(50, 100), Span(100, 200), Span(200, 220)]
    assert stretches({}, Span(0, 9)) == []
    assert position(metadata, Span(50, 220)) == Position(page=1, pages=(1, 2, 3))
    assert position(metadata, Span(50, 220), Span(100, 200)) == Position(page=2, pages=(1, 2, 3))
