"""The small port the repositories are written over: named queries, named parameters, one transaction at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

Row = tuple[Any, ...]


class Database(Protocol):
    """A dialect's connection. Queries are called by name; nothing is ever interpolated into them."""

    def rows(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[Row]: ...

    def run(self, name: str, parameters: Mapping[str, Any] | None = None) -> None: ...

    def run_many(self, name: str, parameters: Iterable[Mapping[str, Any] | Row]) -> None:
        """The query once for each row. A tuple holds the parameters in the order in which the query first names them,
        which for hundreds of thousands of rows is twice as fast as their names."""
        ...

    def transaction(self) -> AbstractContextManager[None]: ...

    def reading(self) -> AbstractContextManager[None]: ...


def first(database: Database, name: str, parameters: Mapping[str, Any] | None = None) -> Row | None:
    """The first row of a query that gives one or none."""
    found = database.rows(name, parameters)
    return found[0] if found else None


def reserve(database: Database, name: str, count: int) -> int:
    """The first of `count` numbers nobody else will get; the write lock is held, so this cannot race."""
    database.run("keys_reserve", {"name": name, "count": count})
    return int(value(database, "keys_reserved", {"name": name})) - count + 1


def runs(keys: Iterable[int]) -> Iterator[dict[str, int]]:
    """Unbroken stretches of keys, each as its first and last: what was written together is removed together."""
    found = sorted(set(keys))
    if found and found[-1] - found[0] == len(found) - 1:
        yield {"first": found[0], "last": found[-1]}
        return
    first_key = last = None
    for key in found:
        if last is not None and key > last + 1:
            yield {"first": first_key or 0, "last": last}
            first_key = None
        first_key = key if first_key is None else first_key
        last = key
    if first_key is not None and last is not None:
        yield {"first": first_key, "last": last}


def value(database: Database, name: str, parameters: Mapping[str, Any] | None = None) -> Any:
    """The single value of a query that always gives one row."""
    return database.rows(name, parameters)[0][0]
