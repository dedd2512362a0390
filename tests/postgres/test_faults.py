"""What goes wrong between a library and its server is said plainly, leaves nothing half done, and passes."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import psycopg
import pytest
from postgres_server import Server

from recto.engine.wiring import open_library
from recto.errors import Busy, LibraryError, StorageError
from recto.model.location import DatabaseUrl
from recto.model.query import Filters, Query
from recto.stores.postgres.store import PostgresStore
from recto.stores.postgres.trouble import translation
from recto.testing import samples

URL = DatabaseUrl("postgresql://ann:geheim@host/db")


def end_every_connection(url: DatabaseUrl) -> None:
    with psycopg.connect(url.secret, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )


def put(store: PostgresStore, uri: str, text: str) -> None:
    notes = samples.ensure(store)
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, uri, text))


def found(store: PostgresStore, word: str) -> int:
    return len(store.lexical.search(samples.collection().project_id, samples.terms(word), Filters(), 10))


def test_a_connection_lost_in_a_transaction_takes_all_of_it_back(url: DatabaseUrl, store: PostgresStore) -> None:
    put(store, "a.md", "before")
    notes = samples.collection()
    with pytest.raises(StorageError, match=r"connection to .* was lost"), store.transaction():
        samples.put(store, notes, samples.prepared(notes, "b.md", "lost"))
        end_every_connection(url)
        samples.put(store, notes, samples.prepared(notes, "c.md", "lost too"))
    assert (found(store, "before"), found(store, "lost")) == (1, 0)
    put(store, "b.md", "found again")
    assert found(store, "again") == 1


def test_connections_lost_between_questions_are_not_noticed(url: DatabaseUrl, store: PostgresStore) -> None:
    put(store, "a.md", "word")
    end_every_connection(url)
    assert found(store, "word") == 1
    end_every_connection(url)
    assert store.generation() > 0
    end_every_connection(url)
    put(store, "b.md", "word")
    assert found(store, "word") == 2


def test_a_server_restarted_between_searches_and_while_indexing(stoppable: Server, tmp_path_factory: object) -> None:
    assert stoppable.program is not None
    url = stoppable.database()
    store = PostgresStore(url)
    put(store, "a.md", "word")
    notes = samples.collection()
    with pytest.raises(StorageError), store.transaction():
        samples.put(store, notes, samples.prepared(notes, "b.md", "word"))
        stoppable.program.tell("stop")
        samples.put(store, notes, samples.prepared(notes, "c.md", "word"))
    with pytest.raises(StorageError, match="cannot be reached"):
        found(store, "word")
    stoppable.program.tell("start")
    assert found(store, "word") == 1
    put(store, "b.md", "word")
    assert found(store, "word") == 2
    assert store.check() == ()
    store.close()


def test_a_deadlock_is_called_busy(url: DatabaseUrl, store: PostgresStore) -> None:
    """Ours cannot make one, because writers take turns; somebody at a prompt can."""
    with psycopg.connect(url.secret) as theirs:
        theirs.execute("set deadlock_timeout = '100ms'")
        theirs.execute("update library set value = value where name = 'input_key'")
        waiting = threading.Event()

        def cross() -> None:
            waiting.set()
            try:
                theirs.execute("update library set value = value where name = 'chunk_key'")
            except psycopg.errors.DeadlockDetected:
                theirs.rollback()

        thread = threading.Thread(target=cross)
        try:
            with pytest.raises(Busy), store.transaction():
                store.database.run("keys_reserve", {"name": "chunk_key", "count": 1})
                thread.start()
                waiting.wait()
                store.database.run("keys_reserve", {"name": "input_key", "count": 1})
                raise Busy("the other one was chosen to give way")
        finally:
            theirs.cancel()
            thread.join()
    put(store, "a.md", "word")


def test_a_writer_that_waits_too_long_for_its_turn_is_told_so(url: DatabaseUrl, store: PostgresStore) -> None:
    impatient = PostgresStore(url, busy_timeout_ms=50)
    with store.transaction():
        store.catalog.ensure_project("first")
        failures: list[BaseException] = []

        def write() -> None:
            try:
                with impatient.transaction():
                    impatient.catalog.ensure_project("second")
            except BaseException as error:
                failures.append(error)

        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert [type(error) for error in failures] == [Busy]
    with impatient.transaction():
        impatient.catalog.ensure_project("second")
    impatient.close()


def test_a_statement_that_takes_too_long_is_given_up(url: DatabaseUrl, store: PostgresStore) -> None:
    put(store, "a.md", "word")
    name = url.secret.rsplit("/", 1)[1]
    with psycopg.connect(url.secret, autocommit=True) as connection:
        connection.execute(f"alter database {name} set statement_timeout = '20ms'".encode())
    slow = PostgresStore(url)
    with pytest.raises(Busy, match="gave up"), slow.reading():
        slow.database._read(lambda connection: connection.execute("select pg_sleep(5)"))
    with slow.reading():  # and the next statement of a reading is not affected
        with pytest.raises(Busy):
            slow.database._read(lambda connection: connection.execute("select pg_sleep(5)"))
        assert slow.generation() > 0
    slow.close()


@pytest.fixture
def reader(url: DatabaseUrl, store: PostgresStore) -> Iterator[PostgresStore]:
    """As a replica is seen: whatever is begun is read only."""
    put(store, "a.md", "word")
    name = url.secret.rsplit("/", 1)[1]
    with psycopg.connect(url.secret, autocommit=True) as connection:
        connection.execute(f"alter database {name} set default_transaction_read_only = on".encode())
    opened = PostgresStore(url, create=False)
    yield opened
    opened.close()


def test_a_replica_answers_and_refuses_to_be_written(reader: PostgresStore, url: DatabaseUrl) -> None:
    assert found(reader, "word") == 1
    with pytest.raises(StorageError, match="can only be read") as raised:
        put(reader, "b.md", "word")
    assert "write to the primary" in (raised.value.hint or "")
    with open_library(url.secret, settings={"embedding.provider": "hashing", "project": "sample"}) as engine:
        assert engine.search(Query("word")).hits


@pytest.mark.parametrize(
    ("state", "kind", "said"),
    [
        ("53100", StorageError, "the disk of"),
        ("53300", Busy, "is busy"),
        ("57P01", StorageError, "was lost"),
        ("57P03", Busy, "is busy"),
        ("40P01", Busy, "is busy"),
        ("40001", Busy, "is busy"),
        ("25006", StorageError, "can only be read"),
        ("42501", StorageError, "does not allow it"),
        ("XX001", LibraryError, "is damaged"),
        ("22012", StorageError, "host/db"),
    ],
)
def test_every_state_of_the_server_has_its_word(state: str, kind: type, said: str) -> None:
    error = translation(URL, psycopg.errors.lookup(state)("it happened: geheim"))
    assert type(error) is kind
    assert said in error.message
    assert "geheim" not in error.message
