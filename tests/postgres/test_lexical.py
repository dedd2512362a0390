"""The words of PostgreSQL are scored as FTS5 scores them, whatever was written, replaced and removed before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import samples

from octavo.model.query import Filters, Terms
from octavo.sql_repositories.store import Store
from octavo.stores.sqlite.store import SqliteStore
from octavo_postgres.posting_lists import compact
from octavo_postgres.store import PostgresStore

WORDS = [f"w{number}" for number in range(12)]
QUERIES = (
    Terms("", words=("w1", "w7", "w11")),
    Terms("", words=("w2",), phrases=(("w3", "w1"),)),
    Terms("", preferred=(("w1", "w2"), ("w4", "w5"))),
    Terms("", words=("w3",), prefixes=("w1",)),
    Terms("", words=("w1", "w2", "w3"), excluded=(("w4", "w5"), ("w6",))),
)


def write(store: Store) -> None:
    """The same on every store: documents put, put again, removed, in a hundred transactions."""
    notes = samples.ensure(store)
    random = np.random.default_rng(3)
    for number in range(100):
        uri = f"{number % 35}.md"
        paragraphs = [" ".join(random.choice(WORDS, size=size)) for size in random.integers(1, 30, 2)]
        title = " ".join(random.choice(WORDS, size=2))
        with store.transaction():
            samples.put(store, notes, samples.prepared(notes, uri, *paragraphs, title=title, tags=("w5",)))
            if number % 9 == 0:
                (held,) = store.documents.find(notes.project_id, uri)
                store.documents.remove(notes.project_id, held.id)


@pytest.mark.parametrize("fields", [(), ("title",), ("body", "tags")], ids=str)
def test_scores_are_those_of_fts5(store: PostgresStore, tmp_path: Path, fields: tuple[str, ...]) -> None:
    theirs = SqliteStore(tmp_path / "library.db")
    write(store)
    write(theirs)
    project = samples.collection().project_id
    for terms in QUERIES:
        mine = store.lexical.search(project, terms, Filters(), 500, fields)  # type: ignore[arg-type]
        wanted = theirs.lexical.search(project, terms, Filters(), 500, fields)  # type: ignore[arg-type]
        assert {one.key: one.score for one in mine} == pytest.approx({one.key: one.score for one in wanted}, abs=1e-9)
        assert len(mine) == len(wanted)
    theirs.close()


def test_small_blocks_are_joined(store: PostgresStore) -> None:
    write(store)
    blocks = store.database.query("select count(*) from lexical_blocks", {})
    written = store.database.query("select count(distinct block) from lexical_postings", {})
    assert blocks == written
    assert blocks[0][0] < 64


def test_a_state_that_another_server_wrote_is_read_on_from_where_one_was(store: PostgresStore) -> None:
    other = PostgresStore(store.database.url)
    notes = samples.ensure(store)
    project = notes.project_id
    for number in range(5):
        with (store if number % 2 else other).transaction():
            samples.put(store if number % 2 else other, notes, samples.prepared(notes, f"{number}.md", "word"))
        counts = [len(one.lexical.search(project, samples.terms("word"), Filters(), 10)) for one in (store, other)]
        assert counts == [number + 1, number + 1]
    other.close()


def test_no_session_state_is_left_on_a_connection(store: PostgresStore) -> None:
    """So that a pooler may hand the connection to somebody else after every transaction."""
    write(store)
    with store.reading():
        store.lexical.similar(samples.collection().project_id, "w99", 3)
    with store.database.connections.borrowed() as connection:
        assert connection.execute("select count(*) from pg_prepared_statements").fetchone() == (0,)
        assert connection.execute("select count(*) from pg_locks where locktype = 'advisory'").fetchone() == (0,)
        changed = connection.execute("select name from pg_settings where source = 'session'").fetchall()
        assert changed in ([], [("client_encoding",)])


def test_what_is_gone_leaves_the_postings_and_no_score_changes(store: PostgresStore, tmp_path: Path) -> None:
    theirs = SqliteStore(tmp_path / "library.db")
    idle = PostgresStore(store.database.url)  # remembers a state from before
    write(store)
    write(theirs)
    project = samples.collection().project_id
    before = [idle.lexical.search(project, terms, Filters(), 500) for terms in QUERIES]
    write(store)
    write(theirs)
    held = store.database.query("select count(*), sum(length(places)) from lexical_postings", {})
    taken = compact(store.database, share=0.1, least=1)
    assert taken > 0
    assert store.database.query("select count(*) from lexical_rows where gone is not null", {}) == [(0,)]
    left = store.database.query("select count(*), sum(length(places)) from lexical_postings", {})
    assert int(left[0][1]) < int(held[0][1]) / 2
    fresh = PostgresStore(store.database.url)
    for terms, then in zip(QUERIES, before, strict=True):
        wanted = {one.key: one.score for one in theirs.lexical.search(project, terms, Filters(), 500)}
        for asked in (store, idle, fresh):
            found = {one.key: one.score for one in asked.lexical.search(project, terms, Filters(), 500)}
            assert found == pytest.approx(wanted, abs=1e-9)
        assert {one.key for one in then}.isdisjoint(wanted)
    assert store.check() == ()
    assert compact(store.database, share=0.1, least=1) == 0
    for one in (theirs, idle, fresh):
        one.close()


def test_a_reading_that_began_before_compaction_is_not_disturbed(store: PostgresStore) -> None:
    write(store)
    reader = PostgresStore(store.database.url)
    project = samples.collection().project_id
    with reader.reading():
        before = [reader.lexical.search(project, terms, Filters(), 500) for terms in QUERIES]
        write(store)
        compact(store.database, share=0.1, least=1)
        assert [reader.lexical.search(project, terms, Filters(), 500) for terms in QUERIES] == before
    reader.close()


def test_little_that_is_gone_is_left_where_it_is(store: PostgresStore) -> None:
    write(store)
    assert compact(store.database) == 0


def test_words_like_a_misspelt_one_are_found_without_pg_trgm(store: PostgresStore) -> None:
    notes = samples.ensure(store)
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "telescope observatory"))
    without = PostgresStore(store.database.url)
    without.database.extensions = replace(without.database.extensions, trigrams=False)
    for one in (store, without):
        assert list(one.lexical.similar(notes.project_id, "telescpoe", 3))[:1] == ["telescope"]
        assert list(one.lexical.similar(notes.project_id, "observatory", 3)) == ["observatory"]
    without.close()
