"""PostgreSQL understands every query; what it says in its own words is something SQLite is asked too."""

from __future__ import annotations

import re

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.model.library_location import DatabaseUrl
from octavo.sql_repositories.named_sql_queries import load_migrations, load_queries
from octavo_postgres.sql_dialect import BASE, ONLY_BASE, PACKAGE, decoded, encoded, queries, query_texts
from octavo_postgres.store import PostgresStore

_NUMBERS = {"limit", "most", "fanout", "hops", "reach", "dimensions", "indexed", "candidates", "keep", "page_size"}
_TRUTHS = {"thematic", "pinned_only"}
_OF_ITS_OWN = re.compile(
    r"begin_|commit_|schema_|migration_|extension|halfvec_|hnsw_|index_lock|lexical_|vectors_|windows_|scores_|active_|column_|rows_of|similarity_"
    r"|primary_|replica_|pg_search_|bm25_|planner_|chunks_nearest|statistics_|library_size|server_|table_columns|sequences_|jobs_listen"
)
_NOT_EXPLAINED = (
    "begin_",
    "commit",
    "set local",
    "create ext",
    "create index",
    "do $$",
    "drop index",
    "explain",
    "alter",
    "analyze",
    "listen",
    "unlisten",
)


def test_every_query_is_understood(url: DatabaseUrl) -> None:
    misunderstood = {}
    with psycopg.connect(url.secret, autocommit=True) as connection:
        for name, query in queries().items():
            text = query.decode()
            if name.startswith(("begin_", "bm25_")) or name == "rows_of_arrays" or text.startswith(_NOT_EXPLAINED):
                continue
            values = {found: _value(found) for found in re.findall(r"%\((\w+)\)s", text)}
            try:
                psycopg.ClientCursor(connection).execute(b"explain " + query, values)
            except psycopg.Error as error:
                misunderstood[name] = str(error).splitlines()[0]
    assert misunderstood == {}


def _value(name: str) -> object:
    if name in _TRUTHS:
        return True
    if name == "vector":
        return "[1]"
    return "projects" if name == "table" else 1 if name in _NUMBERS else None


def test_what_is_said_differently_is_asked_of_sqlite_too() -> None:
    own = set(load_queries(PACKAGE, BASE, ONLY_BASE)) - set(load_queries(BASE))
    assert {name for name in own if not _OF_ITS_OWN.match(name)} == set()


def test_no_query_is_written_twice_in_the_same_words() -> None:
    base, mine = load_queries(BASE), query_texts()
    own = {name for name in mine if name in base and mine[name] == base[name]}
    said = {path for path in own if f"-- name: {path}\n" in _own_files()}
    assert said == set()


def _own_files() -> str:
    from importlib.resources import files

    return "\n".join(path.read_text("utf-8") for path in files(PACKAGE).joinpath("queries").iterdir())


def test_both_dialects_have_tables_of_the_same_columns(store: PostgresStore) -> None:
    import apsw

    from octavo.sql_repositories.table_transfer import NOT_CARRIED, TABLES

    connection = apsw.Connection(":memory:")
    for _, script in load_migrations(BASE):
        connection.execute(script)
    for table in TABLES:
        theirs = {row[1] for row in connection.execute(f"pragma table_xinfo({table.name})") if row[6] == 0}
        assert set(store.database.columns(table.name)) == theirs, table.name
    tables = {row[0] for row in connection.execute("select name from sqlite_schema where type = 'table'")}
    derived = {table for table in tables if table.startswith(("lexical", "sqlite_", "snapshot"))}
    assert tables - derived - {table.name for table in TABLES} - NOT_CARRIED == set()


@given(st.text())
def test_any_text_comes_back_as_it_was_sent(text: str) -> None:
    there = encoded({"text": text})["text"]
    assert "\0" not in there
    assert decoded([(there, 1, None)]) == [(text, 1, None)]


@given(st.text(), st.text())
def test_different_texts_are_sent_differently(one: str, other: str) -> None:
    assert (encoded({"t": one}) == encoded({"t": other})) == (one == other)


def test_migrations_have_the_numbers_of_sqlites() -> None:
    """From SQLite's first on: what is before it concerns PostgreSQL alone."""
    ours, theirs = ([number for number, _ in load_migrations(package)] for package in (PACKAGE, BASE))
    assert {number for number in ours if number > theirs[0]} <= set(theirs)


@pytest.mark.parametrize("secret", ["geheim", "p%40ss"])
def test_a_url_is_shown_without_its_password(secret: str) -> None:
    url = DatabaseUrl(f"postgresql://ann:{secret}@host:5433/db?sslmode=require&password={secret}")
    assert str(url) == "postgresql://ann@host:5433/db?sslmode=require"
    assert secret not in repr(url)
    assert secret not in url.without_password(f"no such user ann with {secret}")


def test_every_row_says_whose_it_is_and_no_name_is_unique_beyond_its_project(store: PostgresStore) -> None:
    """Keys are either numbers that the library gives out itself, or start with the project."""
    of_nobody = {"library", "projects", "access_tokens"}
    tables = {row[0] for row in store.database.query("select tablename from pg_tables where schemaname = 'public'", {})}
    owned = store.database.query(
        "select table_name from information_schema.columns"
        " where table_schema = 'public' and column_name = 'project' and is_nullable = 'NO'",
        {},
    )
    assert tables - {row[0] for row in owned} == of_nobody
    unique = store.database.query(
        "select t.relname, i.relname, array_agg(a.attname::text order by k.place),"
        " array_agg(format_type(a.atttypid, null) order by k.place)"
        " from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid"
        " cross join lateral unnest(x.indkey::int[]) with ordinality k (number, place)"
        " join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number"
        " where x.indisunique and t.relnamespace = 'public'::regnamespace group by 1, 2",
        {},
    )
    assert len(unique) > 40
    shared = {
        index
        for table, index, columns, kinds in unique
        if table not in of_nobody and columns[0] != "project" and set(kinds) != {"bigint"}
    }
    assert shared == set()
