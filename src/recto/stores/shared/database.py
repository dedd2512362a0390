"""The small port the repositories are written over: named queries, named parameters, one transaction at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

Row = tuple[Any, ...]


class Database(Protocol):
    """A dialect's connection. Queries are called by name; nothing is ever interpolated into them."""

    def rows(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[Row]: ...

    def run(self, name: str, parameters: Mapping[str, Any] | None = None) -> None: ...

    def run_many(self, name: str, parameters: Iterable[Mapping[str, Any]]) -> None: ...

    def transaction(self) -> AbstractContextManager[None]: ...

    def reading(self) -> AbstractContextManager[None]: ...


def first(database: Database, name: str, parameters: Mapping[str, Any] | None = None) -> Row | None:
    """The first row of a query that gives one or none."""
    found = database.rows(name, parameters)
    return found[0] if found else None


def value(database: Database, name: str, parameters: Mapping[str, Any] | None = None) -> Any:
    """The single value of a query that always gives one row."""
    return database.rows(name, parameters)[0][0]
