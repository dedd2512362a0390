"""A SQLite file: a connection for each thread that is using it, with driver errors translated into Octavo's."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import apsw

from octavo.atomic_file_replacement import replacing
from octavo.errors import Busy, LibraryError, NotALibrary, NotFound
from octavo.path_resolution_and_private_folders import make_folder, real_path
from octavo.sql_repositories.database_port import Counters, Row
from octavo.sql_repositories.fair_lock import FairLock
from octavo.sql_repositories.named_sql_queries import load_queries
from octavo.sql_repositories.schema_compatibility import missing_migrations, newest_schema, outdated
from octavo.stores.sqlite.connection_pool import ConnectionPool
from octavo.stores.sqlite.error_translation import on_read_only_mount, translated
from octavo.stores.sqlite.file_header_and_schema_checks import seal
from octavo.stores.sqlite.library_file_permissions import close_to_others, make_private
from octavo.stores.sqlite.library_path_checks import refuse_impossible
from octavo.stores.sqlite.write_lock_queue import WriteQueue, inode, wait_for_lock

IN_MEMORY = Path(":memory:")
"""A library that exists until it is closed. Every thread of the process sees the same one."""

APPLICATION_ID = 0x4F435430  # "OCT0": distinguishes a library from any other SQLite file
_PACKAGE = "octavo.stores.sqlite"
_PRAGMAS = (
    "foreign_keys = on",
    "synchronous = normal",
    "cache_size = -65536",
    "mmap_size = 1073741824",
    "temp_store = memory",
    # 64 MB of log before a checkpoint: a bulk run changes the same pages again and again.
    "wal_autocheckpoint = 16000",
    "journal_size_limit = 67108864",
)
_REPAIR, _CHECK_DISK = "run `octavo db repair`, or restore a backup", "check the disk and the path"
_OVERWRITE_MS = 30_000  # to wait for whoever writes to the library that is overwritten
_AHEAD = 1_000_000  # generations: more than others write while a library is being restored
_READ_AND_WRITE = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


class SqliteDatabase(Counters):
    """Fits `sql_repositories.database_port.Database`. WAL lets readers continue while one writer works."""

    def __init__(
        self,
        path: Path,
        *,
        create: bool = True,
        busy_timeout_ms: int = 5_000,
        read_only: bool = False,
        at_rest: bool = False,
    ) -> None:
        self.path = path
        self._read_only = read_only
        if path != IN_MEMORY:
            refuse_impossible(path, create=create and not read_only)
        # SQLite's own `:memory:` is a separate database for each connection; a name in `memdb` is shared by all.
        in_memory = f"file:/{os.urandom(8).hex()}?vfs=memdb" if path == IN_MEMORY else None
        self._address, self._flags = in_memory or str(path), apsw.SQLITE_OPEN_URI if in_memory else 0
        if in_memory is None and (on_read_only_mount(path) or (at_rest and _has_no_log(path))):
            # SQLite would make its log and its locks next to the file, which nobody can, or should, change here.
            self._address, self._flags = f"{real_path(path).as_uri()}?immutable=1", apsw.SQLITE_OPEN_URI
            self._read_only = read_only = True
        self._busy_timeout_ms = busy_timeout_ms
        self.queries = load_queries(_PACKAGE)
        self._local = threading.local()
        self.connections = ConnectionPool(self._connect)
        self._write_lock = FairLock()
        self._write_queue = WriteQueue(None if in_memory else path.parent)
        with translated(path):
            if not create and not path.exists():
                raise NotFound(f"there is no library at {path}", hint="run `octavo init` to make one")
            if not read_only and not in_memory:
                make_folder(path.parent)
                make_private(path)
            try:
                self._inode: int | None = None  # known once the file is there
                self._migrate()  # leaves an idle connection: a library in memory lasts as long as one is open
                self._inode = None if in_memory else inode(path)
                if not self._read_only and not in_memory:
                    close_to_others(path)  # now that it is known to be a library
            except BaseException:
                self.close()
                raise

    def rows(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        with translated(self.path), self.connection() as connection:
            return connection.execute(self.queries[name], parameters or {}).fetchall()

    def run(self, name: str, parameters: Mapping[str, Any] | None = None) -> None:
        with translated(self.path):
            self._writer().execute(self.queries[name], parameters or {})

    def run_many(self, name: str, parameters: Iterable[Mapping[str, Any] | Row]) -> None:
        with translated(self.path):
            self._writer().executemany(self.queries[name], parameters)

    def each(self, name: str, *, before: str) -> Iterator[Row]:
        """Streams the rows of a query, for results larger than memory; `before` is a query to run first."""
        with translated(self.path), self.connection() as connection:
            connection.execute("pragma temp_store = file")  # the sorted rows may not fit into memory
            connection.execute(self.queries[before])
            yield from connection.execute(self.queries[name])

    def query(self, statement: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Runs a statement that `sql_repositories.table_transfer` generated for one table."""
        with translated(self.path), self.connection() as connection:
            return connection.execute(statement, parameters).fetchall()

    def insert(self, statement: str, rows: Iterable[Mapping[str, Any]], table: str) -> None:
        with translated(self.path):
            self._writer().executemany(statement, rows)

    def largest_key(self, table: str) -> int | None:
        with translated(self.path), self.connection() as connection:
            largest: int | None = connection.execute(f"select max(key) from {table}").get  # noqa: S608 (our own name)
        return largest

    def backup(self, target: Path) -> None:
        """SQLite's online backup: writers continue, and the copy is the library at one instant."""
        # Inside a read transaction: otherwise every commit of another process makes the backup begin again.
        with translated(target), self.reading(), self.connection() as source:
            source.execute("select count(*) from sqlite_schema")  # a transaction sees an instant from its first read on
            make_private(target)
            close_to_others(target)
            copy = apsw.Connection(str(target))
            try:
                with copy.backup("main", source, "main") as pages:
                    while not pages.done:
                        pages.step(1_000)
            finally:
                copy.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """`begin immediate` takes the write lock first, so a transaction never fails half-way for lack of it."""
        if self._current() is not None:
            raise RuntimeError("transactions do not nest")
        with self._locked(), self._bound() as connection:
            try:
                self._begin_writing(connection)
                self._local.writing = True
                yield
                self._control(connection, "commit")
            except BaseException:
                self._roll_back(connection)
                raise
            finally:
                self._local.writing = False

    @contextmanager
    def patient(self, seconds: float) -> Iterator[None]:
        """Transactions of this thread wait that long for the write lock."""
        before, self._local.patience = self._patience(), seconds
        try:
            yield
        finally:
            self._local.patience = before

    def _patience(self) -> float:
        return float(getattr(self._local, "patience", self._busy_timeout_ms / 1e3))

    def _begin_writing(self, connection: apsw.Connection) -> None:
        if self._inode is not None and self._inode != inode(self.path):
            raise LibraryError(
                f"{self.path} was replaced or removed while it was open", hint="stop this process and start it again"
            )
        with self._write_queue.first(self._patience()):
            self._control(connection, "begin immediate")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with ExitStack() as stack:
            try:
                stack.enter_context(self._write_lock.acquired(self._patience()))
            except TimeoutError as error:
                raise Busy(f"another thread is still writing to {self.path}", hint="try again in a moment") from error
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        if self._current() is not None:
            yield
            return
        with self._bound() as connection:
            try:
                self._control(connection, "begin")
                yield
            finally:
                self._roll_back(connection)

    def connection(self) -> AbstractContextManager[apsw.Connection]:
        """This thread's connection inside a transaction; otherwise one that is borrowed meanwhile."""
        current = self._current()
        return self.connections.borrowed() if current is None else nullcontext(current)

    @contextmanager
    def _bound(self) -> Iterator[apsw.Connection]:
        """A connection that every query of this thread goes to."""
        with self.connections.borrowed() as connection:
            self._local.connection = connection
            try:
                yield connection
            finally:
                self._local.connection = None

    def _control(self, connection: apsw.Connection, statement: str) -> None:
        with translated(self.path):
            connection.execute(statement)

    def _roll_back(self, connection: apsw.Connection) -> None:
        # After some errors (a full disk, a failed commit) SQLite has already rolled back by itself.
        if connection.in_transaction:
            try:
                self._control(connection, "rollback")
            except BaseException:
                # Whatever interrupted it, no transaction stays open: releasing a lease now needs a new one.
                if connection.in_transaction:
                    self._control(connection, "rollback")
                raise

    def pragma(self, name: str) -> list[Row]:
        """The rows of a pragma, for the integrity check."""
        with translated(self.path), self.connection() as connection:
            return connection.execute(f"pragma {name}").fetchall()

    def forget_table(self, name: str, shadows: Sequence[str]) -> None:
        """Removes a virtual table that cannot be opened from the schema, and then its shadow tables."""
        with translated(self.path):
            connection = self._writer()
            connection.execute("pragma writable_schema = on")
            connection.execute("delete from sqlite_schema where name = ?", (name,))
            connection.execute("pragma writable_schema = reset")
            for shadow in shadows:
                connection.execute(f'drop table if exists "{shadow}"')

    def vacuum(self) -> None:
        """Rewrites the file without its free pages, which still hold what was deleted, and empties the log."""
        with translated(self.path), self.connection() as connection:
            connection.execute("vacuum; pragma wal_checkpoint(truncate)").fetchall()

    def close(self) -> None:
        self.connections.close()
        self._write_queue.close()

    def _current(self) -> apsw.Connection | None:
        """The connection of this thread's transaction."""
        return getattr(self._local, "connection", None)

    def _writer(self) -> apsw.Connection:
        # A write outside a transaction would commit without advancing the generation, and every cache would miss it.
        connection = self._current()
        if connection is None or not getattr(self._local, "writing", False):
            raise RuntimeError("a write needs a transaction around it")
        return connection

    def _connect(self) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READONLY if self._read_only else _READ_AND_WRITE
        connection = apsw.Connection(self._address, flags=flags | self._flags)
        connection.set_busy_handler(wait_for_lock(self._patience))
        with translated(self.path):
            for pragma in _PRAGMAS:
                connection.execute(f"pragma {pragma}")
        return connection

    def _migrate(self) -> None:
        version, newest = self._version(), newest_schema(_PACKAGE)
        if not outdated(_PACKAGE, version, self.path):
            return
        if self._read_only:
            raise LibraryError(
                f"{self.path} was written by an older Octavo (schema {version}, this one knows {newest})",
                hint=f"run `octavo db upgrade --library {self.path}`, which keeps a copy of it",
            )
        if version:
            save_older(self.path)  # whatever goes wrong from here on, a copy of the library is next to it
        self.pragma("journal_mode = wal")
        with self.transaction(), self.connection() as connection:
            version = self._version()  # another process may have migrated while this one waited
            self._run_scripts(connection, [script for _, script in missing_migrations(_PACKAGE, version)], version)
            seal(self)
            connection.execute(f"pragma user_version = {newest}")
            connection.execute(f"pragma application_id = {APPLICATION_ID}")

    def _run_scripts(self, connection: apsw.Connection, scripts: Sequence[str], version: int) -> None:
        try:
            for script in scripts:
                connection.execute(script)
        except apsw.SQLError as error:  # the number in the header is not that of the tables
            raise LibraryError(
                f"the library {self.path} is damaged: it does not have the tables of schema {version} ({error})",
                hint=_REPAIR,
            ) from error

    def _version(self) -> int:
        # One snapshot: another process may be creating the library right now.
        with self.reading(), self.connection() as connection:
            version = int(connection.pragma("user_version"))
            ours = connection.pragma("application_id") == APPLICATION_ID
            empty = not version and not connection.execute("select count(*) from sqlite_schema").get
        if not (ours or empty):
            raise NotALibrary(
                f"{self.path} is a database, but not an Octavo library",
                hint="name another file with --library, or a new path to make a library there",
            )
        return version


def overwrite(library: Path, saved: Path) -> None:
    """Copies a saved library into one that may be open elsewhere: to whoever has it open, this is one transaction.

    The copy's generation is raised in `saved` first, which is the caller's to change.
    """
    # Replacing the file instead would leave them with the old one, in which they go on writing.
    with translated(library):
        source = apsw.Connection(str(saved), flags=apsw.SQLITE_OPEN_READWRITE)
        target = apsw.Connection(str(library), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            target.set_busy_timeout(_OVERWRITE_MS)
            known = target.execute("select value from library where name = 'generation'").get or 0
            # Later than anything seen before, and than what is written until the copy begins: a generation is the key
            # of every cache, and a cache that is added to asks when the library was restored.
            source.execute("begin immediate")
            source.execute("update library set value = max(value, ?) + ? where name = 'generation'", (known, _AHEAD))
            source.execute(
                "insert or replace into library (name, value) "
                "select 'restored', value from library where name = 'generation'"
            )
            source.execute("commit")
            with target.backup("main", source, "main") as pages:
                while not pages.done:
                    pages.step(-1)
        finally:
            target.close()
            source.close()


def save_older(path: Path) -> Path | None:
    """Copies a library whose schema is about to be migrated, to a file next to it; None if no migration is needed."""
    with translated(path):
        if not path.is_file():
            return None
        source = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            version = int(source.pragma("user_version"))
            ours = source.pragma("application_id") == APPLICATION_ID
            if not (ours and version and outdated(_PACKAGE, version, path)):
                return None
            target = path.with_name(f"{path.name}.schema-{version}")
            with replacing(target) as temporary:
                copy = apsw.Connection(str(temporary))
                try:
                    with copy.backup("main", source, "main") as pages:
                        pages.step()
                finally:
                    copy.close()
            for kept in [other for other in path.parent.iterdir() if other.name.startswith(f"{path.name}.schema-")]:
                close_to_others(kept)  # copies that earlier versions made
            return target
        finally:
            source.close()


def _has_no_log(path: Path) -> bool:
    """Whether no write-ahead log lies beside a library: nobody has it open, and all of it is in its file."""
    return not path.with_name(f"{path.name}-wal").exists()
