"""A search for nothing: the same error for every client."""

from __future__ import annotations

import pytest

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_execution import find


@pytest.mark.parametrize("query", ["", "  "])
def test_a_search_without_words_or_filters_is_an_error_and_filters_alone_list(engine: Engine, query: str) -> None:
    with pytest.raises(InvalidArgument, match="the query is empty"):
        find(engine, SearchRequest(query=query))
    assert find(engine, SearchRequest(query=query, kinds=("note",))).hits
