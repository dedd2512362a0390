"""The port the repositories are written against: named queries, named parameters, one transaction at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from enum import Enum
from itertools import groupby
from typing import Any, Protocol

Row = tuple[Any, ...]
Clock = Callable[[], float]
"""Seconds since the epoch, in UTC, as an argument: tests set it, wiring passes the real one."""


class Database(Protocol):
    """A dialect's connection. Queries are called by name; nothing is ever interpolated into them."""

    def rows(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[Row]: ...

    def run(self, name: str, parameters: Mapping[str, Any] | None = None) -> None: ...

    def run_many(self, name: str, parameters: Iterable[Mapping[str, Any] | Row]) -> None:
        """Runs the query once per row. A tuple has the parameters in the order in which the query first names them,
        which for hundreds of thousands of rows is twice as fast as a mapping."""

    def transaction(self) -> AbstractContextManager[None]: ...

    def reading(self) -> AbstractContextManager[None]: ...

    def patient(self, seconds: float) -> AbstractContextManager[None]:
        """Transactions of this thread wait that long for the write lock."""


def first(database: Database, name: str, parameters: Mapping[str, Any] | None = None) -> Row | None:
    """The first row of a query that returns at most one."""
    rows = database.rows(name, parameters)
    return rows[0] if rows else None


def reserve(database: Database, name: str, count: int) -> int:
    """The first of `count` consecutive numbers, reserved for the caller under the write lock."""
    database.run("keys_reserve", {"name": name, "count": count})
    return int(value(database, "keys_reserved", {"name": name})) - count + 1


def columns(record: Any, **stored: Any) -> dict[str, Any]:
    """The fields of a dataclass as parameters of the same names: tuples and mappings as JSON, enum members by their
    values. `stored` are columns that have another name or another form than their fields."""
    names = (field.name for field in fields(record) if field.name not in stored)
    return {name: _column(getattr(record, name)) for name in names} | stored


def _column(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if isinstance(value, tuple | Mapping) else value


def listed(values: Sequence[object]) -> str | None:
    """A list as the parameter of a query; None, which restricts nothing, where it is empty."""
    return json.dumps(values, ensure_ascii=False) if values else None


def contiguous_ranges(keys: Iterable[int]) -> Iterator[dict[str, int]]:
    """Contiguous ranges of keys, as first and last: rows written together are removed together."""
    numbers = enumerate(sorted(set(keys)))
    for _, group in groupby(numbers, lambda numbered: numbered[1] - numbered[0]):
        members = [key for _, key in group]
        yield {"first": members[0], "last": members[-1]}


def value(database: Database, name: str, parameters: Mapping[str, Any] | None = None) -> Any:
    """The single value of a query that always returns one row."""
    return database.rows(name, parameters)[0][0]


class Counters:
    """Columns of tables and counters by name, the same in every dialect."""

    def columns(self: Database, table: str) -> tuple[str, ...]:
        return tuple(row[0] for row in self.rows("table_columns", {"table": table}))

    def counter(self: Database, name: str) -> int | None:
        row = first(self, "keys_reserved", {"name": name})
        return int(row[0]) if row else None

    def set_counter(self: Database, name: str, value: int | None) -> None:
        if value is None:
            self.run("counter_remove", {"name": name})
        else:
            self.run("counter_put", {"name": name, "value": value})
