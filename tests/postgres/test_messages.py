"""What is sent to the server: nothing twice for one search, and writes together with what reads next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
import samples

from octavo.engine.wiring import open_library
from octavo.model.library_location import DatabaseUrl
from octavo.model.query import Query
from octavo.sql_repositories.database_port import reserve
from octavo_postgres.store import PostgresStore


@contextmanager
def messages() -> Iterator[list[tuple[Any, ...]]]:
    """The queries that are sent meanwhile, with their parameters."""
    sent: list[tuple[Any, ...]] = []
    execute = psycopg.Cursor.execute

    def noted(cursor: Any, query: Any, parameters: Any = None, **options: Any) -> Any:
        sent.append((query, repr(parameters)))
        return execute(cursor, query, parameters, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", noted)
        yield sent


def test_a_search_asks_for_nothing_twice(url: DatabaseUrl, tmp_path: Path) -> None:
    notes = {
        "dome.md": "# The dome\nIt closes when it rains; see [[mirror]].",
        "mirror.md": "# Mirror\nClean it.",
    }
    for name, text in notes.items():
        (tmp_path / name).write_text(text, "utf-8")
    with open_library(url.secret) as engine:
        engine.add_collection("notes", tmp_path)
        engine.index()
        engine.search(Query("mirror"))  # what is kept between searches
        with messages() as sent:
            assert [hit.citation.uri for hit in engine.search(Query("when does the dome close")).hits] == ["dome.md"]
    assert [query for query in sent if sent.count(query) > 1] == []


def test_what_another_process_changes_is_seen_by_the_next_read(url: DatabaseUrl, store: PostgresStore) -> None:
    project = samples.ensure(store).project_id
    other = PostgresStore(url)
    for name in ("first", "second"):
        with other.transaction():
            made = other.catalog.ensure_project(name)
        with store.reading():
            assert made in store.catalog.projects() and store.keys.project(project)
    other.close()


def test_statements_that_write_go_along_with_the_next_that_reads(store: PostgresStore) -> None:
    with messages() as sent, store.transaction():
        before = len(sent)
        store.database.run("counter_put", {"name": "trial", "value": 1})
        store.database.run("counter_put", {"name": "trial", "value": 2})
        assert len(sent) == before
        assert (store.database.counter("trial"), reserve(store.database, "trial", 3)) == (2, 3)
        assert len(sent) == before + 2
    assert store.database.counter("trial") == 5


def test_a_write_that_fails_is_told_at_the_commit_and_leaves_nothing(store: PostgresStore) -> None:
    with pytest.raises(Exception, match="violates"), store.transaction():
        store.catalog.ensure_project("kept out")
        store.database.run("counter_put", {"name": "trial", "value": None})
    assert store.database.counter("trial") is None
    assert [project.name for project in store.catalog.projects() if project.name == "kept out"] == []
