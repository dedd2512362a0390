"""Reading several documents at once, and listing them, over the vault in examples/."""

from __future__ import annotations

import pytest

from octavo.engine.engine import Engine
from octavo.fast_dataclass import replace
from octavo.operations.library.collections import collections_list
from octavo.operations.library.filtered_documents_and_properties import documents_below, property_keys
from octavo.operations.library.requests import CollectionsListRequest
from octavo.operations.reading.many_documents_reading_and_listing import get_many, list_documents
from octavo.operations.reading.requests import GetManyRequest, ListDocumentsRequest
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search
from octavo.operations.token_counts_and_page_cursor import tokens


def test_a_glob_reads_every_document_it_matches_within_one_budget(engine: Engine) -> None:
    answer = get_many(engine, GetManyRequest(("observing/*.md",), token_budget=600))
    listed = list_documents(engine, ListDocumentsRequest("observing/")).documents or ()
    assert [passage.uri for passage in answer.passages] == [row.uri for row in listed]
    assert answer.tokens <= 600 + len(answer.passages)  # each is rounded up
    assert any(passage.truncated for passage in answer.passages)
    assert all(passage.text.endswith("\n") for passage in answer.passages)


def test_what_fits_is_read_whole_and_in_the_order_asked_for(engine: Engine) -> None:
    references = ("observing/Closing down.md:1-5", "Home", "equipment/The 40 cm reflector.md#service", "nowhere.md")
    answer = get_many(engine, GetManyRequest(references, token_budget=100_000))
    assert [passage.uri for passage in answer.passages] == [
        *("observing/Closing down.md", "Home.md", "equipment/The 40 cm reflector.md")
    ]
    assert not any(passage.truncated for passage in answer.passages)
    assert answer.missing == ("nowhere.md",)
    assert answer.tokens == sum(tokens(passage.text) for passage in answer.passages)


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        ("Home*", ["Home.md"]),
        ("**/Opening*.md", ["observing/Opening the dome.md"]),
        ("observatory/observing/Opening*", ["observing/Opening the dome.md"]),
        ("*/[N-P]pening*.md", ["observing/Opening the dome.md"]),
        ("obs*/nothing", []),
    ],
)
def test_a_glob_stays_within_a_folder_unless_it_has_two_stars(engine: Engine, glob: str, found: list[str]) -> None:
    assert [passage.uri for passage in get_many(engine, GetManyRequest((glob,))).passages] == found


def test_documents_are_listed_by_path_and_property_page_by_page(engine: Engine) -> None:
    whole = list_documents(engine, ListDocumentsRequest(max_tokens=100_000))
    read, cursor = [], None
    while True:
        page = list_documents(engine, ListDocumentsRequest(max_tokens=500, cursor=cursor))
        read += page.documents or ()
        cursor = page.next_cursor
        if cursor is None:
            break
    assert tuple(read) == whole.documents
    assert len(read) == whole.total
    accepted = list_documents(engine, ListDocumentsRequest(where=("status=accepted", "date<2022"))).documents or ()
    assert [row.uri for row in accepted] == ["decisions/0001 Staying with the old mount.md"]


def test_the_keys_of_properties_are_listed_with_their_values(engine: Engine) -> None:
    keys = {key.key: key for key in collections_list(engine, CollectionsListRequest(keys=True)).keys or ()}
    assert (keys["status"].documents, keys["status"].values) == (2, ("accepted",))
    assert keys == {key.key: key for key in list_documents(engine, ListDocumentsRequest(keys=True)).keys or ()}
    assert "callouts" not in keys


def test_the_keys_of_properties_are_those_of_authors_not_of_converters(engine: Engine) -> None:
    [document, *_] = documents_below(engine, ListDocumentsRequest())
    found = {"converter": "pdf-7", "rendered_from": "ipynb", "marks": {"unit": "page"}, "ocr_pages": [3]}
    book = replace(document, tags=(), aliases=(), metadata={"pages": 320, **found})
    assert [key.key for key in property_keys([book])] == ["pages"]


def test_a_search_is_narrowed_by_properties(engine: Engine) -> None:
    hits = search(engine, SearchRequest("humidity", where=("status=accepted",), show_all=True)).hits
    assert {hit.uri.split("/")[0] for hit in hits} == {"decisions"}
