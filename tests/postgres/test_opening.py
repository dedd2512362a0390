"""What opening a database says when it cannot become a library, and that it becomes one only once."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable

import psycopg
import pytest
import samples
from later_schema import add_migration
from postgres_server import Server, at

from octavo.errors import LibraryError, NewerLibrary, NotALibrary, NotIndexed, StorageError
from octavo.model.library_location import DatabaseUrl
from octavo.sql_repositories.named_sql_queries import load_migrations
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.sql_dialect import PACKAGE, queries
from octavo_postgres.store import PostgresStore


def tell(url: DatabaseUrl, *statements: str) -> None:
    with psycopg.connect(url.secret, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def test_a_database_becomes_a_library_only_when_asked(empty: DatabaseUrl) -> None:
    with pytest.raises(NotIndexed, match="there is no library in") as raised:
        PostgresStore(empty, create=False)
    assert raised.value.hint == "run `octavo init` to make one"
    PostgresStore(empty).close()
    PostgresStore(empty, create=False).close()


def test_a_wrong_password_is_said_without_the_password(url: DatabaseUrl) -> None:
    wrong = DatabaseUrl(url.secret.replace("postgres:postgres@", "postgres:geheim@"))
    with pytest.raises(StorageError, match="does not let this user in") as raised:
        PostgresStore(wrong)
    assert "geheim" not in str(raised.value) + repr(raised.value.__cause__)


def test_a_database_that_is_not_there_and_a_server_that_is_not_there_are_told_apart(postgres: Server) -> None:
    with pytest.raises(NotIndexed, match="nowhere"):
        PostgresStore(DatabaseUrl(at(postgres.url, "nowhere")))
    with pytest.raises(StorageError, match="cannot be reached"):
        PostgresStore(DatabaseUrl("postgresql://ann@127.0.0.1:1/db"))


def test_a_missing_extension_and_an_older_pgvector_are_refused_with_what_to_do(stoppable: Server) -> None:
    """The server's own files say what it has: one is taken away, then put back with another version in it."""
    assert stoppable.program is not None
    (control,) = stoppable.program.folder.glob(".pg0/installation/*/share/extension/vector.control")
    written = control.read_text("utf-8")
    missing, older, known = (stoppable.database(empty=True) for _ in range(3))
    control.rename(control.with_suffix(".away"))
    with pytest.raises(StorageError, match="does not have the extension vector") as raised:
        PostgresStore(missing)
    assert raised.value.hint == "install pgvector on the server"
    control.with_suffix(".away").rename(control)
    control.write_text(re.sub(r"default_version = '[^']*'", "default_version = '0.6.2'", written), "utf-8")
    with pytest.raises(StorageError, match=r"has vector 0\.6\.2, Octavo needs 0\.7\.0 or later") as raised:
        PostgresStore(older)
    assert "alter extension vector update" in (raised.value.hint or "")
    with pytest.raises(NotIndexed):
        PostgresStore(older, create=False)
    control.write_text(written, "utf-8")
    PostgresStore(known).close()
    PostgresStore(missing).close()  # nothing was left half made


def test_a_newer_library_is_refused(url: DatabaseUrl) -> None:
    tell(url, "update library set value = 9999 where name in ('schema', 'schema_usable_from')")
    with pytest.raises(NewerLibrary, match="schema 9999"):
        PostgresStore(url)


def test_a_database_with_other_tables_of_these_names_is_left_alone(empty: DatabaseUrl) -> None:
    tell(empty, "create table documents (id int)")
    with pytest.raises(NotALibrary, match="tables of the same names"):
        PostgresStore(empty)


def test_tables_that_vanished_are_called_damage(url: DatabaseUrl) -> None:
    store = PostgresStore(url)
    tell(url, "drop table rerank_scores")
    with pytest.raises(LibraryError, match="rerank_scores"):
        store.database.rows("rerank_scores_count", {"project": 1})
    store.close()


def troubles_of(several: int, work: Callable[[], object]) -> list[BaseException]:
    """What went wrong when so many did it at once."""
    troubles: list[BaseException] = []
    start = threading.Barrier(several)

    def one() -> None:
        start.wait()
        try:
            work()
        except BaseException as error:
            troubles.append(error)

    threads = [threading.Thread(target=one) for _ in range(several)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return troubles


def test_servers_that_start_at_once_migrate_once(empty: DatabaseUrl) -> None:
    assert troubles_of(4, lambda: PostgresStore(empty).close()) == []
    store = PostgresStore(empty, create=False)
    assert store.database.counter("schema") == load_migrations(PACKAGE)[-1][0]
    store.close()


def test_a_library_that_another_server_makes_meanwhile_is_seen(empty: DatabaseUrl) -> None:
    """Who looked, waited for the lock and looks again must not be told from memory that there is none."""
    looked = queries()["schema_present"]
    with psycopg.connect(empty.secret, autocommit=True) as waiting:
        assert waiting.execute(looked).fetchone() == (False, False)
        with waiting.transaction():
            waiting.execute("select 1")
            tell(empty, "create table library (name text); create table documents (id int)")
            assert waiting.execute(looked).fetchone() == (True, True)


@pytest.fixture
def older(url: DatabaseUrl, monkeypatch: pytest.MonkeyPatch) -> int:
    """The schema of a library to which one migration is missing."""
    return add_migration(monkeypatch, PACKAGE, "create table later (name text)")


SHAPE = """
select 'column', c.relname || '.' || a.attname,
  format('%s %s %s', format_type(a.atttypid, a.atttypmod), a.attstorage, a.attnotnull)
from pg_attribute a join pg_class c on c.oid = a.attrelid
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
union all select 'table', relname, coalesce(reloptions::text, '') from pg_class
where relnamespace = 'public'::regnamespace and relkind = 'r'
union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) from pg_constraint
where connamespace = 'public'::regnamespace
union all select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
union all select 'trigger', tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid) from pg_trigger
where not tgisinternal
order by 1, 2, 3
"""


@pytest.mark.parametrize("missing", range(1, len(load_migrations(PACKAGE))))
def test_an_upgraded_library_is_like_a_new_one(url: DatabaseUrl, empty: DatabaseUrl, missing: int) -> None:
    """Of every schema that was ever released."""
    known = load_migrations(PACKAGE)
    with pytest.MonkeyPatch.context() as earlier:
        earlier.setattr(
            "octavo.sql_repositories.schema_compatibility.load_migrations", lambda package: known[:-missing]
        )
        store = PostgresStore(empty)
        notes = samples.ensure(store)
        with store.transaction():
            samples.put(store, notes, samples.prepared(notes, "a.md", "moon"))
        store.close()
    PostgresDatabase(empty, create=False, upgrade=True).close()
    upgraded = PostgresStore(empty, create=False)
    assert upgraded.counts(notes.project_id).documents == 1
    assert upgraded.check() == ()
    upgraded.close()
    with psycopg.connect(url.secret) as new, psycopg.connect(empty.secret) as old:
        assert old.execute(SHAPE).fetchall() == new.execute(SHAPE).fetchall()


def test_an_older_library_is_refused_with_what_to_run(url: DatabaseUrl, older: int) -> None:
    """Whoever opened it first with a new Octavo would else lock out everybody who shares it."""
    for create in (True, False):
        with pytest.raises(LibraryError, match=rf"older Octavo \(schema {older},") as raised:
            PostgresStore(url, create=create)
        assert "save it with `pg_dump`, then run `octavo db upgrade`" in (raised.value.hint or "")


def test_an_older_library_is_upgraded_once_however_many_ask_for_it(url: DatabaseUrl, older: int) -> None:
    assert troubles_of(4, lambda: PostgresDatabase(url, create=False, upgrade=True).close()) == []
    store = PostgresStore(url, create=False)
    assert store.database.counter("schema") == older + 1
    assert store.check() == ()
    store.close()


def test_a_library_of_before_the_first_release_is_refused_even_by_an_upgrade(url: DatabaseUrl) -> None:
    oldest = load_migrations(PACKAGE)[0][0]
    tell(url, "update library set value = 1 where name = 'schema'")
    with pytest.raises(LibraryError, match=f"the oldest that still opens is {oldest}"):
        PostgresDatabase(url, create=False, upgrade=True)


def test_who_may_not_upgrade_an_older_library_is_told_who_can(url: DatabaseUrl, older: int) -> None:
    name = url.secret.rsplit("/", 1)[1]
    tell(url, f"alter database {name} set default_transaction_read_only = on")
    with pytest.raises(LibraryError, match="this role may not upgrade it") as raised:
        PostgresDatabase(url, create=False, upgrade=True)
    assert raised.value.hint == "run `octavo db upgrade` with the URL of its owner on the primary"
