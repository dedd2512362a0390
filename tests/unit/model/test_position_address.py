"""Where the original of a converted document is found elsewhere."""

from __future__ import annotations

import pytest

from octavo.model.position import Position


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
