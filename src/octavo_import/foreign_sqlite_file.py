"""Another program's SQLite file, only ever read. Each query is a reading of its own, so that the program may go on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import apsw

from octavo.errors import Busy, LibraryError, NotALibrary
from octavo.sql_repositories.named_sql_queries import parse_queries


class SqliteFile:
    """Queries come by name from the `.sql` file beside this one that is called like the program's module."""

    def __init__(self, file: Path, program: str, queries: str) -> None:
        self.file = file
        self._program = program
        self._queries = named_queries(queries)
        with self._translated():
            self._connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
            self._connection.set_busy_timeout(5_000)

    def rows(self, name: str, parameters: Mapping[str, Any] | None = None, **parts: str) -> list[tuple[Any, ...]]:
        """`parts` are the pieces of a query that depend on the version of the schema, never on a value."""
        statement = self._queries[name].format(**parts) if parts else self._queries[name]
        with self._translated():
            return self._connection.execute(statement, parameters or {}).fetchall()

    def tables(self) -> frozenset[str]:
        return frozenset(row[0] for row in self.rows("tables"))

    def columns(self, table: str) -> frozenset[str]:
        return frozenset(row[0] for row in self.rows("columns", {"table": table}))

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except apsw.NotADBError as error:
            raise NotALibrary(f"{self.file} is not a database") from error
        except (apsw.BusyError, apsw.LockedError) as error:
            raise Busy(f"{self._program} is writing to {self.file.parent}", hint="try again in a moment") from error
        except apsw.Error as error:
            raise LibraryError(
                f"{self.file} cannot be read: {error}",
                hint=f"open it once with {self._program}, which repairs what an interrupted write left, and close it",
            ) from error


@cache
def named_queries(name: str) -> dict[str, str]:
    folder = files(__package__)
    return {
        **parse_queries(folder.joinpath("sqlite_file.sql").read_text("utf-8")),
        **parse_queries(folder.joinpath(f"{name}.sql").read_text("utf-8")),
    }
