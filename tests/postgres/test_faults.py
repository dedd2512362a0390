"""What goes wrong between a library and its server is said plainly, leaves nothing half done, and passes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
import samples
from patience import eventually
from postgres_server import Server, at

from octavo.engine.wiring import open_library
from octavo.errors import Busy, LibraryError, StorageError
from octavo.model.library_location import DatabaseUrl
from octavo.model.query import Filters, Query
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest
from octavo.sql_repositories.database_port import reserve
from octavo.sql_repositories.documents import DocumentRepository
from octavo_postgres.connections_and_errors import translation
from octavo_postgres.store import LexicalChoice, PostgresStore

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


SETTINGS = {"embedding.provider": "hashing"}


def restart(server: Server) -> None:
    assert server.program is not None
    server.program.tell("stop")
    server.program.tell("start")


def test_a_server_restarted_during_indexing_and_during_a_search(
    stoppable: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        (tmp_path / f"{number}.md").write_text(f"# Note {number}\n\nwords about moons {number}\n", "utf-8")
    url = stoppable.database()
    put_all, calls = DocumentRepository.put_all, iter(range(1_000))

    def interrupted(self: DocumentRepository, *arguments: Any) -> Any:
        done = put_all(self, *arguments)
        if next(calls) == 1:  # in the middle of a transaction, after another was committed
            restart(stoppable)
        return done

    with open_library(url.secret, create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", tmp_path)
        monkeypatch.setattr("octavo.ingest.prepared_file_batches.BATCH_FILES", 20)
        monkeypatch.setattr(DocumentRepository, "put_all", interrupted)
        with pytest.raises(StorageError, match="was lost"):
            engine.index()
        assert engine.store.counts(engine.project.id).documents == 20
        assert engine.store.check() == ()
        engine.index()
        assert engine.store.counts(engine.project.id).documents == 60
        assert engine.store.embeddings.coverage(engine.project.id, engine.embedder.profile) == (60, 60)

        search, broken = LexicalChoice.search, iter((True, False))

        def struck(self: LexicalChoice, *arguments: Any, **named: Any) -> Any:
            if next(broken, False):  # the search has begun to read by now
                restart(stoppable)
            return search(self, *arguments, **named)

        monkeypatch.setattr(LexicalChoice, "search", struck)
        with suppress(StorageError):  # what is left of the search may answer, or say that the connection was lost
            for stage in engine.search(Query("moons")).trace:
                assert "lost" in (stage.failed or "lost")
        assert len(engine.search(Query("moons")).hits) == 10
        assert engine.store.check() == ()


def test_a_server_that_is_away_is_said_to_be_and_found_again_when_it_is_back(stoppable: Server) -> None:
    assert stoppable.program is not None
    store = PostgresStore(stoppable.database())
    put(store, "a.md", "word")
    stoppable.program.tell("stop")
    with pytest.raises(StorageError, match="cannot be reached"):
        found(store, "word")
    with pytest.raises(StorageError, match="cannot be reached"):
        put(store, "b.md", "word")
    stoppable.program.tell("start")
    assert found(store, "word") == 1
    put(store, "b.md", "word")
    assert found(store, "word") == 2
    store.close()


def test_a_deadlock_is_called_busy_and_takes_everything_back(url: DatabaseUrl, store: PostgresStore) -> None:
    """Ours cannot make one among themselves, because writers take turns; somebody at a prompt can."""
    put(store, "a.md", "before")
    name = url.secret.rsplit("/", 1)[1]
    with psycopg.connect(url.secret, autocommit=True) as connection:
        connection.execute(f"alter database {name} set deadlock_timeout = '50ms'".encode())
    ours = PostgresStore(url, busy_timeout_ms=30_000)  # whoever looks for a deadlock first gives way: that is ours
    with psycopg.connect(url.secret) as theirs, psycopg.connect(url.secret, autocommit=True) as observer:
        theirs.execute("set deadlock_timeout = '1min'")
        theirs.execute("update library set value = value where name = 'input_key'")
        thread = threading.Thread(
            target=theirs.execute, args=("update library set value = value where name = 'chunk_key'",)
        )
        with pytest.raises(Busy, match="deadlock") as raised, ours.transaction():
            reserve(ours.database, "chunk_key", 1)
            thread.start()
            while not observer.execute("select 1 from pg_locks where not granted").fetchone():
                assert thread.is_alive()
            reserve(ours.database, "input_key", 1)
        assert isinstance(raised.value.__cause__, psycopg.errors.DeadlockDetected)
        thread.join()
        theirs.rollback()
    put(ours, "b.md", "again")
    assert (found(ours, "before"), found(ours, "again")) == (1, 1)
    assert ours.check() == ()
    ours.close()


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
        connection.execute(f"alter database {name} set statement_timeout = '1s'".encode())
    slow = PostgresStore(url)
    with pytest.raises(Busy, match="gave up"), slow.reading():
        slow.database.with_connection(lambda connection: connection.execute("select pg_sleep(60)"))
    with slow.reading():  # and the next statement of a reading is not affected
        with pytest.raises(Busy):
            slow.database.with_connection(lambda connection: connection.execute("select pg_sleep(60)"))
        assert slow.generation() > 0
    slow.close()


def test_a_statement_of_a_run_that_takes_too_long_costs_the_run_and_nothing_else(
    url: DatabaseUrl, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("# A\n\nmoon\n", "utf-8")
    with open_library(url.secret, create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", tmp_path)
    with trouble(url, "perform pg_sleep(60)"):
        name = url.secret.rsplit("/", 1)[1]
        tell(url, f"alter database {name} set statement_timeout = '2s'")
        with open_library(url.secret, settings=SETTINGS) as engine, pytest.raises(Busy, match="gave up") as raised:
            engine.index()
        assert "statement_timeout" in (raised.value.hint or "")
        tell(url, f"alter database {name} reset statement_timeout")
    with open_library(url.secret, settings=SETTINGS) as engine:
        assert engine.store.counts(engine.project.id).documents == 0
        engine.index()
        assert len(engine.search(Query("moon")).hits) == 1


def test_a_server_whose_disk_is_full_stops_a_run_and_leaves_nothing_half_done(url: DatabaseUrl, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.md").write_text(f"# A\n\nmoon {number}\n", "utf-8")
    full = "raise exception 'could not extend file: No space left on device' using errcode = '53100'"
    with open_library(url.secret, create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", tmp_path)
        with trouble(url, full), pytest.raises(StorageError, match=r"the disk of .* is full") as raised:
            engine.index()
        assert "free some space on the server" in (raised.value.hint or "")
        assert engine.store.counts(engine.project.id).documents == 0
        assert engine.store.check() == ()
        engine.index()
        assert engine.store.counts(engine.project.id).documents == 3


def tell(url: DatabaseUrl, statement: str) -> None:
    with psycopg.connect(url.secret, autocommit=True) as connection:
        connection.execute(statement.encode())


@contextmanager
def trouble(url: DatabaseUrl, what: str) -> Iterator[None]:
    """What happens on the server whenever a text is written."""
    body = f"create function trouble() returns trigger language plpgsql as $$ begin {what}; return new; end $$"
    tell(url, body)
    tell(url, "create trigger trouble before insert on texts for each row execute function trouble()")
    try:
        yield
    finally:
        tell(url, "drop function trouble() cascade")


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


def test_a_replica_answers_searches_and_says_where_to_write(stoppable: Server, tmp_path: Path) -> None:
    assert stoppable.program is not None
    (tmp_path / "a.md").write_text("# A\n\nmoon\n", "utf-8")
    primary = stoppable.database()
    with open_library(primary.secret, create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", tmp_path)
        engine.index()
    name = primary.secret.rsplit("/", 1)[1]
    following = at(stoppable.program.replica(), name)
    with open_library(following, settings=SETTINGS) as engine:
        assert [hit.citation.uri for hit in engine.search(Query("moon")).hits] == ["a.md"]
        with pytest.raises(StorageError, match="can only be read") as raised:
            remember(engine, RememberRequest(text="this is not kept"))
        assert raised.value.hint == "a replica answers searches; write to the primary"
        (tmp_path / "b.md").write_text("# B\n\ncomet\n", "utf-8")
        with open_library(primary.secret, settings=SETTINGS) as writing:
            writing.index()
            written = writing.store.generation()
        eventually(lambda: engine.store.generation() >= written)
        assert [hit.citation.uri for hit in engine.search(Query("comet")).hits][:1] == ["b.md"]


def test_a_database_that_can_only_be_read_answers_and_refuses_to_be_written(
    reader: PostgresStore, url: DatabaseUrl
) -> None:
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
