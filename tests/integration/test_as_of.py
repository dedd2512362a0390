"""Search as of a time, versions and what changed between them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import NotFound
from octavo.operations.reading.passage_reading import diff, get
from octavo.operations.reading.requests import DiffRequest, GetRequest
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search

OLD = "# Dome\n\nThe dome closes at ninety per cent humidity.\n"
NEW = "# Dome\n\nThe dome closes at eighty-five per cent humidity.\n"


def written(path: Path, text: str, day: str) -> None:
    path.write_text(text, "utf-8")
    stamp = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    os.utime(path, (stamp, stamp))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    place = tmp_path_factory.mktemp("past")
    notes = place / "notes"
    notes.mkdir()
    written(notes / "dome.md", OLD, "2024-05-01")
    written(notes / "gone.md", "# Gone\n\nThe humidity sensor hangs at the mast.\n", "2024-05-01")
    written(notes / "same.md", "# Same\n\nHumidity is read every minute.\n", "2024-05-01")
    with open_library(place / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("notes", notes)
        engine.index()
        written(notes / "dome.md", NEW, "2025-06-01")
        written(notes / "late.md", "# Late\n\nHumidity was discussed in June.\n", "2025-06-01")
        (notes / "gone.md").unlink()
        engine.index(confirm_removals=True)
        yield engine


def found(engine: Engine, **given: object) -> dict[str, tuple[str, int | None]]:
    answer = search(engine, SearchRequest("humidity", show_all=True, **given))  # type: ignore[arg-type]
    return {hit.uri: (hit.excerpt.split("\n")[-1], hit.version) for hit in answer.hits}


def test_a_search_as_of_a_time_finds_what_was_said_then(library: Engine) -> None:
    then = found(library, as_of="2025-03-01")
    assert set(then) == {"dome.md", "gone.md", "same.md"}
    assert then["dome.md"] == ("The dome closes at ninety per cent humidity.", 1)
    assert then["same.md"][1] is None
    now = found(library)
    assert set(now) == {"dome.md", "late.md", "same.md"}
    assert now["dome.md"] == ("The dome closes at eighty-five per cent humidity.", None)


def test_before_everything_there_is_nothing_and_filters_hold_in_the_past_too(library: Engine) -> None:
    assert found(library, as_of="2020-01-01") == {}
    assert set(found(library, as_of="2025-03-01", path_prefix="dome")) == {"dome.md"}
    assert set(found(library, as_of="2099-01-01")) == {"dome.md", "late.md", "same.md"}


def test_a_version_is_read_whole_or_by_lines_even_of_a_document_that_is_gone(library: Engine) -> None:
    assert get(library, GetRequest("dome.md", version=1)).text == OLD
    assert get(library, GetRequest("dome.md", version=2)).text == NEW
    assert get(library, GetRequest("dome.md:3", version=1)).text.strip() == OLD.split("\n")[2]
    assert "mast" in get(library, GetRequest("gone.md", version=1)).text
    with pytest.raises(NotFound, match="has no version 3"):
        get(library, GetRequest("dome.md", version=3))


def test_a_diff_shows_the_last_change_unless_versions_are_named(library: Engine) -> None:
    change = diff(library, DiffRequest("dome"))
    assert (change.from_version, change.to_version, change.added, change.removed) == (1, 2, 1, 1)
    assert "-The dome closes at ninety" in change.diff
    assert "+The dome closes at eighty-five" in change.diff
    assert diff(library, DiffRequest("dome", 2, 2)).diff == ""
    with pytest.raises(NotFound):
        diff(library, DiffRequest("absent"))
