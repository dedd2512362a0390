"""The log of queries: off unless wanted, what it keeps, and what is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.evaluation.dataset_evaluation import originals
from octavo.evaluation.dataset_from_library import Level, LoggedQuestion, make
from octavo.operations.query_log.query_logging_and_listing import (
    AskedQuery,
    OpenedPassage,
    opened_passages,
    queries_clear,
    queries_list,
)
from octavo.operations.query_log.requests import QueriesClearRequest, QueriesListRequest
from octavo.operations.reading.passage_reading import get
from octavo.operations.reading.requests import GetRequest
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search

DOME = "# Dome\n\n## Closing the dome\n\nThe dome closes at 85 per cent humidity, which the station measures.\n"


def opened_with(tmp_path: Path, **settings: Any) -> Engine:
    folder = tmp_path / "notes"
    folder.mkdir(exist_ok=True)
    (folder / "dome.md").write_text(DOME, "utf-8")
    (folder / "mirror.md").write_text("# Mirror\n\nThe mirror is washed twice a year, in spring and autumn.\n", "utf-8")
    engine = open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing", **settings})
    engine.add_collection("notes", folder)
    engine.index()
    return engine


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with opened_with(tmp_path, **{"log.queries": True}) as engine:
        yield engine


def test_nothing_is_logged_unless_somebody_wants_it(tmp_path: Path) -> None:
    with opened_with(tmp_path) as engine:
        search(engine, SearchRequest("humidity"))
        get(engine, GetRequest("dome.md"))
        answer = queries_list(engine, QueriesListRequest())
    assert answer.queries == () and not answer.logging


def test_what_is_asked_shown_and_opened_is_logged(engine: Engine) -> None:
    search(engine, SearchRequest("humidity ghp_" + "a1B2" * 9))
    get(engine, GetRequest("dome.md"))
    (asked,) = queries_list(engine, QueriesListRequest()).queries
    assert isinstance(asked, AskedQuery) and asked.opened == ("notes/dome.md",) and asked.profile == "hybrid"
    assert asked.shown >= 1 and asked.query.startswith("humidity") and "a1B2" not in asked.query
    assert queries_clear(engine, QueriesClearRequest("1d")).queries == 0
    assert queries_clear(engine, QueriesClearRequest()).queries == 1
    assert queries_list(engine, QueriesListRequest()).queries == ()


def test_what_was_opened_becomes_a_question_whose_answer_is_known(engine: Engine) -> None:
    search(engine, SearchRequest("when is it too damp"))
    get(engine, GetRequest("dome.md"))
    (opened,) = opened_passages(engine)
    assert opened == OpenedPassage("when is it too damp", "notes/dome.md", opened.text) and "85 per cent" in opened.text
    asked = [LoggedQuestion(opened.query, opened.place, opened.text)]
    for level, answer in ((Level.SECTION, "notes/dome.md#closing-the-dome"), (Level.DOCUMENT, "notes/dome.md")):
        made = make(list(originals(engine)), level=level, limit=2, asked=asked)
        assert made.queries[0] == {
            "_id": "q0001",
            "text": "when is it too damp",
            "metadata": {"target": "opened", "form": "asked"},
        }
        assert made.qrels[0] == ("q0001", answer, 1) and len(made.queries) == 2


def test_a_document_that_is_gone_teaches_nothing(engine: Engine, tmp_path: Path) -> None:
    search(engine, SearchRequest("humidity"))
    get(engine, GetRequest("dome.md"))
    (tmp_path / "notes" / "dome.md").unlink()
    engine.index()
    assert list(opened_passages(engine)) == []
    assert queries_list(engine, QueriesListRequest()).queries[0].opened
