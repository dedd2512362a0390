"""Projects are kept apart by the schema: keys start with the project, history stays, a role may see one alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import LiteralString
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
import samples
from later_schema import add_migration
from psycopg import sql

from octavo.engine.wiring import open_library
from octavo.errors import OctavoError
from octavo.model.library_location import DatabaseUrl
from octavo.model.query import Query
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.sql_dialect import PACKAGE
from octavo_postgres.store import PostgresStore

SETTINGS = {"embedding.provider": "hashing"}
DOCS = Path(__file__).parents[2] / "docs" / "guides" / "team.md"


def test_every_foreign_key_starts_with_the_project(url: DatabaseUrl) -> None:
    with psycopg.connect(url.secret) as connection:
        keys = connection.execute(
            "select conrelid::regclass::text, confrelid::regclass::text, pg_get_constraintdef(oid) from pg_constraint"
            " where contype = 'f' and confrelid <> 'projects'::regclass"
        ).fetchall()
    alone = [key for key in keys if "KEY (project, " not in key[2]]
    assert len(keys) > 35
    assert [(child, parent) for child, parent, _ in alone] == [("graph_references", "documents")]
    assert "ON DELETE SET NULL" in alone[0][2]


@pytest.fixture
def two(store: PostgresStore) -> tuple[int, int]:
    """The keys of two projects, each with a document, chunks, inputs and a link to nothing."""
    for project in ("mine", "theirs"):
        notes = samples.ensure(store, project=project)
        with store.transaction():
            samples.put(store, notes, samples.prepared(notes, "a.md", f"words of {project}"))
            profile = samples.embedding_profile()
            rows = [samples.vector_row(key, profile) for key in store.embeddings.pending(notes.project_id, profile)]
            store.embeddings.put(notes.project_id, profile, rows)
    return store.keys.project(samples.collection(project="mine").project_id), store.keys.project(
        samples.collection(project="theirs").project_id
    )


@pytest.mark.parametrize(
    "crossing",
    [
        "update documents set collection = (select key from collections where project = {theirs})"
        " where project = {mine}",
        "update chunks set document = (select key from documents where project = {theirs}) where project = {mine}",
        "update chunk_inputs set input = (select min(key) from inputs where project = {theirs}) where project = {mine}",
        "update vectors set input = (select min(key) from inputs where project = {theirs}) where project = {mine}",
        "update vectors set profile = (select key from embedding_profiles where project = {theirs})"
        " where project = {mine}",
        "update sections set project = {theirs} where project = {mine}",
        "insert into graph_references (key, project, collection, lookup, scope, path, name, document)"
        " select 999, {mine}, c.key, '', '', '', '', d.key from collections c, documents d"
        " where c.project = {mine} and d.project = {theirs}",
    ],
)
def test_no_row_refers_to_another_project(url: DatabaseUrl, two: tuple[int, int], crossing: str) -> None:
    statement = crossing.format(mine=two[0], theirs=two[1])
    with psycopg.connect(url.secret) as connection:
        with pytest.raises(psycopg.errors.ForeignKeyViolation):
            assert connection.execute(statement.encode()).rowcount
            connection.commit()  # one of the keys is looked at only then
        connection.rollback()


def test_a_document_that_goes_leaves_its_references_as_ghosts(url: DatabaseUrl, two: tuple[int, int]) -> None:
    with psycopg.connect(url.secret) as connection:
        connection.execute(
            "insert into graph_references (key, project, collection, lookup, scope, path, name, document)"
            " select 999, %s, collection, '', '', '', '', key from documents where project = %s",
            (two[0], two[0]),
        )
    with psycopg.connect(url.secret) as connection:
        connection.execute("delete from documents where project = %s", (two[0],))
    with psycopg.connect(url.secret) as connection:
        assert connection.execute("select project, document from graph_references").fetchall() == [(two[0], None)]


@pytest.mark.parametrize("table", ["memory_versions", "memory_commits", "memory_items cascade", "projects cascade"])
def test_history_is_not_emptied(url: DatabaseUrl, table: str) -> None:
    with open_library(url.secret, create=True, settings=SETTINGS) as engine:
        remember(engine, RememberRequest(text="the dome is locked"))
        with pytest.raises(psycopg.errors.RaiseException, match="never changes"), psycopg.connect(url.secret) as owner:
            owner.execute(f"truncate {table}".encode())
        with psycopg.connect(url.secret) as owner:
            assert owner.execute("select count(*) from memory_versions").fetchone() == (1,)


@pytest.fixture
def bound(url: DatabaseUrl, tmp_path: Path) -> Iterator[str]:
    """The URL of a role that the documentation's statements bind to the project `mine`; `theirs` is the other."""
    for project in ("mine", "theirs"):
        folder = tmp_path / project
        folder.mkdir()
        (folder / "a.md").write_text(f"# Moon\n\nThe moon of {project}.\n", "utf-8")
        with open_library(url.secret, create=True, settings={**SETTINGS, "project": project}) as engine:
            engine.add_collection("notes", folder)
            engine.index()
            remember(engine, RememberRequest(text=f"the dome of {project} is locked"))
    role = f"{urlsplit(url.secret).path.strip('/')}_mine"
    documented = DOCS.read_text("utf-8").split("<!-- isolation -->")[1].split("```sql\n")[1].split("```")[0]
    with psycopg.connect(url.secret, autocommit=True) as owner:
        owner.execute(documented.replace("octavo_mine", role).replace("login;", "login password 'geheim';").encode())
    parts = urlsplit(url.secret)
    yield urlunsplit((parts.scheme, f"{role}:geheim@{parts.netloc.rpartition('@')[2]}", parts.path, parts.query, ""))
    with psycopg.connect(url.secret, autocommit=True) as owner:
        owner.execute(f"drop owned by {role}; drop role {role}".encode())


def tables(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        return [
            row[0]
            for row in connection.execute(
                "select table_name from information_schema.columns where table_schema = 'public'"
                " and column_name = 'project' order by 1"
            )
        ]


def of_project(statement: LiteralString, table: str) -> sql.Composed:
    return sql.SQL(statement).format(sql.Identifier(table))


def test_a_role_of_one_project_works_in_it_as_anybody(bound: str, url: DatabaseUrl) -> None:
    with open_library(bound, settings={**SETTINGS, "project": "mine"}) as engine:
        assert [hit.citation.uri for hit in engine.search(Query("moon")).hits] == ["a.md"]
        remember(engine, RememberRequest(text="the key hangs in the hall"))
        assert [project.name for project in engine.store.catalog.projects()] == ["mine"]
        assert engine.store.check() == ()
    with open_library(url.secret, settings={**SETTINGS, "project": "theirs"}) as engine:
        assert len(engine.search(Query("moon")).hits) == 1  # whoever is not bound sees what they saw


def test_a_role_of_one_project_cannot_read_or_change_another(bound: str, url: DatabaseUrl) -> None:
    with psycopg.connect(url.secret) as owner:
        key = owner.execute("select key from projects where name = 'theirs'").fetchone()
        before = {
            table: owner.execute(of_project("select * from {} where project = %s", table), key).fetchall()
            for table in tables(url.secret)
        }
    assert key is not None and sum(map(bool, before.values())) > 12
    with psycopg.connect(bound, autocommit=True) as mine:
        for table in before:
            assert mine.execute(of_project("select 1 from {} where project = %s", table), key).fetchall() == [], table
            assert mine.execute(of_project("delete from {} where project = %s", table), key).rowcount == 0, table
        assert mine.execute("select name from projects").fetchall() == [("mine",)]
        token = "insert into access_tokens (name, hash, scope, projects, created_at) values ('a', %s, 'admin', '', 0)"
        for statement in (
            "insert into recipes (project, id, body, active, created_at) values (%s, 'a', '{}', 0, 0)",
            "update texts set project = %s",
            token,
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                mine.execute(statement.encode(), key)
        for forbidden in (
            "truncate jobs",
            "alter table texts disable row level security",
            "drop policy everyone on texts",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                mine.execute(forbidden.encode())
    with psycopg.connect(url.secret) as owner:
        for table, rows in before.items():
            assert owner.execute(of_project("select * from {} where project = %s", table), key).fetchall() == rows
    with pytest.raises(OctavoError), open_library(bound, create=True, settings={**SETTINGS, "project": "theirs"}):
        pass


def test_tables_of_a_later_schema_are_closed_to_the_role_too(
    bound: str, url: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = "create table later (project bigint not null); insert into later select key from projects"
    add_migration(monkeypatch, PACKAGE, later)
    PostgresDatabase(url, create=False, upgrade=True).close()
    with psycopg.connect(url.secret, autocommit=True) as owner, psycopg.connect(bound) as mine:
        role = urlsplit(bound).username
        owner.execute(f"grant select on later to {role}".encode())
        assert mine.execute("select count(*) from later").fetchone() == (1,)
        assert owner.execute("select count(*) from later").fetchone() == (2,)


def test_a_writer_without_the_owners_role_goes_on_without_an_index(bound: str) -> None:
    with open_library(bound, settings={**SETTINGS, "postgres.index_from": 1, "project": "mine"}) as engine:
        assert not engine.store.maintain(engine.project.id, engine.embedder.profile)
        assert engine.search(Query("moon")).hits
