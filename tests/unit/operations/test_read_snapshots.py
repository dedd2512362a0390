"""`get` and `outline` answer from one state of the library, whoever indexes while they read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import InvalidArgument, NotFound
from octavo.operations.reading.passage_reading import get, outline
from octavo.operations.reading.requests import GetRequest, OutlineRequest
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search

SETTINGS = {"embedding.provider": "hashing"}
BEFORE = "# Dome\n\nThe dome opens at dusk.\n\n## Motor\n\nThe motor hums.\n"
AFTER = "# Preface\n\nA long preface stands here now, before all else.\n\n" + BEFORE


@pytest.fixture
def library(tmp_path: Path) -> Iterator[tuple[Engine, Callable[[], None]]]:
    """An open library, and what another process does to it meanwhile."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "dome.md").write_text(BEFORE, encoding="utf-8")
    with (
        open_library(tmp_path / "library.db", create=True, settings=SETTINGS) as engine,
        open_library(tmp_path / "library.db", settings=SETTINGS) as other,
    ):
        engine.add_collection("notes", notes)
        engine.index()

        def meanwhile() -> None:
            (notes / "dome.md").write_text(AFTER, encoding="utf-8")
            other.index()

        yield engine, meanwhile


def interrupted(monkeypatch: pytest.MonkeyPatch, engine: Engine, name: str, meanwhile: Callable[[], None]) -> None:
    """Lets the other process in right after the repository has answered."""
    documents: Any = engine.store.documents
    answer = getattr(documents, name)

    def then(*args: Any, **more: Any) -> Any:
        found = answer(*args, **more)
        thread = threading.Thread(target=meanwhile)
        thread.start()
        thread.join()
        return found

    monkeypatch.setattr(documents, name, then)


def test_a_chunk_is_cut_out_of_the_text_it_was_cut_from(
    library: tuple[Engine, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, meanwhile = library
    hit = search(engine, SearchRequest("motor hums", limit=1)).hits[0]
    expected = get(engine, GetRequest(hit.chunk_id)).text
    interrupted(monkeypatch, engine, "candidates", meanwhile)
    assert get(engine, GetRequest(hit.chunk_id)).text == expected


def test_an_outline_counts_lines_in_the_text_its_headings_come_from(
    library: tuple[Engine, Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, meanwhile = library
    expected = outline(engine, OutlineRequest("dome.md"))
    interrupted(monkeypatch, engine, "texts", meanwhile)
    assert outline(engine, OutlineRequest("dome.md")) == expected


def test_lines_beyond_the_end_are_refused_with_the_lines_there_are(
    library: tuple[Engine, Callable[[], None]],
) -> None:
    with pytest.raises(NotFound, match="has 7 lines, not 5000") as caught:
        get(library[0], GetRequest("dome.md:5000-6000"))
    assert caught.value.hint == "ask for lines up to 7: dome.md:1-7"


def test_a_blank_reference_is_a_mistake_of_the_caller(library: tuple[Engine, Callable[[], None]]) -> None:
    with pytest.raises(InvalidArgument, match="the reference is blank"):
        get(library[0], GetRequest(" "))
