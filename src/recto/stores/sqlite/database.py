"""A connection per thread to one SQLite file, with foreign errors turned into ours at the door."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import apsw

from recto.errors import Busy, Conflict, LibraryError, NewerLibrary, NotALibrary, NotFound, RectoError, StorageError
from recto.stores.shared.database import Row
from recto.stores.shared.queries import load_migrations, load_queries
from recto.stores.shared.turns import Turns

APPLICATION_ID = 0x52435430  # "RCT0": how a library is told from any other SQLite file
_PACKAGE = "recto.stores.sqlite"
_WORD_INDEX = re.compile(r"\bfts5\b|\blexical\b")  # how SQLite speaks of an index it can no longer open
_READ_AND_WRITE = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


class SqliteDatabase:
    """Fits `stores.shared.database.Database`. WAL lets readers go on while one writer works."""

    def __init__(
        self, path: Path, *, create: bool = True, busy_timeout_ms: int = 5_000, read_only: bool = False
    ) -> None:
        self.path = path
        self._read_only = read_only
        self._busy_timeout_ms = busy_timeout_ms
        self._queries = load_queries(_PACKAGE)
        self._local = threading.local()
        self._all: list[apsw.Connection] = []
        self._guard = threading.Lock()
        self._turns = Turns()
        with _translated(path):
            if not create and not path.exists():
                raise NotFound(f"there is no library at {path}", hint="run `recto init` to make one")
            if not read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._migrate(self._connection())
            except BaseException:
                self.close()
                raise

    def rows(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        with _translated(self.path):
            return self._connection().execute(self._queries[name], parameters or {}).fetchall()

    def run(self, name: str, parameters: Mapping[str, Any] | None = None) -> None:
        with _translated(self.path):
            self._writer().execute(self._queries[name], parameters or {})

    def run_many(self, name: str, parameters: Iterable[Mapping[str, Any] | Row]) -> None:
        with _translated(self.path):
            self._writer().executemany(self._queries[name], parameters)

    def each(self, name: str, *, before: str) -> Iterator[Row]:
        """The rows of a query one by one, for what is larger than memory; `before` makes what the query reads."""
        connection = self._connection()
        with _translated(self.path):
            connection.execute("pragma temp_store = file")  # what is sorted may not fit into memory
            connection.execute(self._queries[before])
            yield from connection.execute(self._queries[name])

    def ask(self, statement: str, parameters: Mapping[str, Any]) -> list[Row]:
        """A statement made for one table, by `stores.shared.transfer`."""
        with _translated(self.path):
            return self._connection().execute(statement, parameters).fetchall()

    def tell(self, statement: str, rows: Iterable[Mapping[str, Any]], table: str) -> None:
        with _translated(self.path):
            self._writer().executemany(statement, rows)

    def columns(self, table: str) -> tuple[str, ...]:
        return tuple(row[0] for row in self.rows("table_columns", {"table": table}))

    def counter(self, name: str) -> int | None:
        found = self.rows("keys_reserved", {"name": name})
        return int(found[0][0]) if found else None

    def set_counter(self, name: str, value: int | None) -> None:
        if value is None:
            self.run("counter_remove", {"name": name})
        else:
            self.run("counter_put", {"name": name, "value": value})

    def backup(self, target: Path) -> None:
        """SQLite's own online copy: writers go on, and the copy is the state of one moment."""
        with _translated(target):
            copy = apsw.Connection(str(target))
            try:
                with copy.backup("main", self._connection(), "main") as pages:
                    while not pages.done:
                        pages.step(1_000)
            finally:
                copy.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """`begin immediate` takes the write lock first, so a transaction never fails half-way for want of it."""
        if self._connection().in_transaction:
            raise RuntimeError("transactions do not nest")
        with self._turn():
            try:
                self._control("begin immediate")
                self._local.writing = True
                yield
                self._control("commit")
            except BaseException:
                self._roll_back()
                raise
            finally:
                self._local.writing = False

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with ExitStack() as stack:
            try:
                stack.enter_context(self._turns.turn(self._busy_timeout_ms / 1e3))
            except TimeoutError as error:
                raise Busy(f"another thread is still writing to {self.path}", hint="try again in a moment") from error
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        if self._connection().in_transaction:
            yield
            return
        try:
            self._control("begin")
            yield
        finally:
            self._roll_back()

    def _control(self, statement: str) -> None:
        with _translated(self.path):
            self._connection().execute(statement)

    def _roll_back(self) -> None:
        # After some errors (a full disk, a failed commit) SQLite has already rolled back by itself.
        if self._connection().in_transaction:
            try:
                self._control("rollback")
            except BaseException:
                # Whatever broke in, nothing stays open: whoever gives a lease back now needs a transaction.
                if self._connection().in_transaction:
                    self._control("rollback")
                raise

    def pragma(self, name: str) -> list[Row]:
        """For the integrity check: a pragma's rows."""
        with _translated(self.path):
            return self._connection().execute(f"pragma {name}").fetchall()

    def forget_table(self, name: str, shadows: Sequence[str]) -> None:
        """Takes a virtual table that cannot be opened out of the schema, and then the tables it kept its data in."""
        with _translated(self.path):
            connection = self._writer()
            connection.execute("pragma writable_schema = on")
            connection.execute("delete from sqlite_schema where name = ?", (name,))
            connection.execute("pragma writable_schema = reset")
            for shadow in shadows:
                connection.execute(f'drop table if exists "{shadow}"')

    def close(self) -> None:
        with self._guard:
            for connection in self._all:
                connection.close()
            self._all.clear()
        self._local = threading.local()

    def _writer(self) -> apsw.Connection:
        # A write on its own would commit without moving the generation on, and every cache would miss it.
        if not getattr(self._local, "writing", False):
            raise RuntimeError("a write needs a transaction around it")
        return self._connection()

    def _connection(self) -> apsw.Connection:
        found: apsw.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            flags = apsw.SQLITE_OPEN_READONLY if self._read_only else _READ_AND_WRITE
            found = apsw.Connection(str(self.path), flags=flags)
            found.set_busy_timeout(self._busy_timeout_ms)
            found.execute("pragma foreign_keys = on")
            found.execute("pragma synchronous = normal")
            found.execute("pragma cache_size = -65536")
            found.execute("pragma mmap_size = 1073741824")
            found.execute("pragma temp_store = memory")
            # 64 MB of log before it is copied back: a bulk run changes the same pages again and again.
            found.execute("pragma wal_autocheckpoint = 16000")
            found.execute("pragma journal_size_limit = 67108864")
            self._local.connection = found
            with self._guard:
                self._all.append(found)
        return found

    def _migrate(self, connection: apsw.Connection) -> None:
        migrations = load_migrations(_PACKAGE)
        newest = migrations[-1][0]
        version = self._version(connection)
        if version == newest:
            return
        if version > newest:
            raise NewerLibrary(
                f"{self.path} was written by a newer Recto (schema {version}, this one knows {newest})",
                hint="upgrade Recto, or use another library with --library",
            )
        if self._read_only:
            raise LibraryError(
                f"{self.path} was written by an older Recto (schema {version}, this one knows {newest})",
                hint=f"run `recto db upgrade --library {self.path}`, which keeps a copy of it",
            )
        if version:
            save_older(self.path)  # whatever goes wrong from here on, the library as it was lies beside it
        connection.execute("pragma journal_mode = wal")
        with self.transaction():
            version = self._version(connection)  # another process may have migrated while this one waited
            for number, script in migrations:
                if number > version:
                    connection.execute(script)
            connection.execute(f"pragma user_version = {newest}")
            connection.execute(f"pragma application_id = {APPLICATION_ID}")

    def _version(self, connection: apsw.Connection) -> int:
        with self.reading():  # one state: another process may be creating the library this very moment
            version = int(connection.pragma("user_version"))
            ours = connection.pragma("application_id") == APPLICATION_ID
            empty = not version and not connection.execute("select count(*) from sqlite_schema").get
        if not (ours or empty):
            raise NotALibrary(
                f"{self.path} is a database, but not a Recto library",
                hint="point --library at another file, or run `recto init` on a new path",
            )
        return version


def save_older(path: Path) -> Path | None:
    """A copy of a library whose schema is about to be changed, made beside it; None where nothing changes."""
    newest = load_migrations(_PACKAGE)[-1][0]
    with _translated(path):
        if not path.is_file():
            return None
        held = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            version = int(held.pragma("user_version"))
            if held.pragma("application_id") != APPLICATION_ID or not 0 < version < newest:
                return None
            kept = path.with_name(f"{path.name}.schema-{version}")
            aside = kept.with_name(f"{kept.name}.{os.getpid()}")  # several processes may find the library at once
            copy = apsw.Connection(str(aside))
            try:
                with copy.backup("main", held, "main") as pages:
                    pages.step()
            finally:
                copy.close()
            aside.replace(kept)
            return kept
        finally:
            held.close()


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except RectoError:
        raise
    except apsw.NotADBError as error:
        raise NotALibrary(
            f"{path} is not a database",
            hint="point --library at another file, or run `recto init` on a new path",
        ) from error
    except apsw.CorruptError as error:
        raise LibraryError(
            f"the library {path} is damaged: {error}", hint="run `recto db repair`, or restore a backup"
        ) from error
    except apsw.SQLError as error:
        if not _WORD_INDEX.search(str(error)):
            raise
        raise LibraryError(
            f"the word index of {path} is damaged: {error}", hint="run `recto db repair`, or restore a backup"
        ) from error
    except apsw.ConstraintError as error:
        raise Conflict(f"the change contradicts what {path} already holds: {error}") from error
    except (apsw.BusyError, apsw.LockedError, apsw.ProtocolError) as error:
        raise Busy(f"another process is writing to {path}", hint="try again in a moment") from error
    except apsw.FullError as error:
        raise StorageError(
            f"the disk is full: {path} could not grow", hint="free some space and run it again"
        ) from error
    except apsw.ReadOnlyError as error:
        raise StorageError(f"{path} cannot be written", hint="check the permissions of the file and folder") from error
    except (apsw.IOError, apsw.CantOpenError) as error:
        raise StorageError(
            f"{path} could not be read or written: {error}", hint="check the disk and the path"
        ) from error
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}", hint="check the path and its permissions") from error
