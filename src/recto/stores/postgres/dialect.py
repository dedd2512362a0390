"""Named queries as the driver wants them, and text as PostgreSQL can hold it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

from recto.stores.postgres.halfvec import Half
from recto.stores.shared.queries import load_queries

PACKAGE = "recto.stores.postgres"
BASE = "recto.stores.sqlite"
"""Most of what SQLite is asked is asked of PostgreSQL in the same words; some small functions of the first migration
(`json_each`, `json_keys`, `hex`, `unhex`, `instr`) let it understand them."""

ONLY_BASE = ("lexical.sql", "snapshots.sql")
"""Words are kept another way here, and there are no snapshots: the server has indexes of its own."""

_KEYS = frozenset(("keys", "documents", "inputs", "chunks", "blocks"))
"""Lists with these names hold keys, which are numbers; every other list holds texts. SQLite does not mind."""

_LIST = re.compile(r"json_each\(:([a-z_]+)\)")
_IN_ORDER = re.compile(r"\bcross join (\w+ \w+)(?=\s+on\b)")
_BY_INDEX = re.compile(r"\s+indexed by \w+")
_COMMENT = re.compile(r"--[^\n]*\n?")
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]+)")
_INSERT = re.compile(r"\s*(insert into (\w+) \(([^)]*)\)\s*)values \(([^)]*)\)(.*)", re.DOTALL)

_NUL, _MARK, _MARKED_NUL = "\0", "\ufdd1", "\ufdd1\ufdd0"


def written() -> Mapping[str, str]:
    """Every query as its file has it."""
    return load_queries(PACKAGE, BASE, ONLY_BASE)


@cache
def queries() -> Mapping[str, bytes]:
    """Every query as the driver wants it."""
    return {name: placed(body).encode() for name, body in written().items()}


def placed(query: str) -> str:
    """`:name` → `%(name)s`. Hints to SQLite's planner, which has no statistics, are left out: here they decide."""
    said = _IN_ORDER.sub(r"join \1", _BY_INDEX.sub("", _COMMENT.sub("", query)))
    said = _LIST.sub(lambda match: f"json_keys({match[0][10:]}" if match[1] in _KEYS else match[0], said)
    return _PARAMETER.sub(r"%(\1)s", said.replace("%", "%%"))


class Batch(NamedTuple):
    """An insert of arrays, one for each column, and the parameters whose type Python does not tell."""

    query: bytes
    conversions: Mapping[str, Callable[[Any], Any]]

    def arrays(self, rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {}
        for row in rows:
            for name, one in row.items():
                columns.setdefault(name, []).append(one if type(one) in _PLAIN else _sent(one))
        for name, convert in self.conversions.items():
            columns[name] = [None if one is None else convert(one) for one in columns[name]]
        return columns


def batched(statement: str, column_types: Callable[[str], Mapping[str, str]]) -> Batch | None:
    """An insert of one row as an insert of many; None for anything else.

    A thousand rows are then one statement that is sent, planned and answered once.
    """
    match = _INSERT.fullmatch(_COMMENT.sub("", statement))
    if match is None:
        return None
    beginning, table, columns, values, rest = match.groups()
    names = [column.strip().strip('"') for column in columns.split(",")]
    parameters = [value.strip() for value in values.split(",")]
    if any(not _PARAMETER.fullmatch(one) for one in parameters) or len(set(parameters)) < len(names):
        return None
    types = column_types(table)
    given = {parameter.removeprefix(":"): types[column] for parameter, column in zip(parameters, names, strict=True)}
    # The b asks for numbers as they are rather than spelt out.
    arrays = ", ".join(f"%({parameter})b::{kind}[]" for parameter, kind in given.items())
    query = f"{beginning}{written()['rows_of_arrays']}({arrays}){placed(rest)}"
    return Batch(query.encode(), {one: _CONVERSIONS[kind] for one, kind in given.items() if kind in _CONVERSIONS})


def named(statement: str, rows: Iterable[Mapping[str, Any] | tuple[Any, ...]]) -> list[Mapping[str, Any]]:
    """Rows given as tuples under the names of their parameters, in the order in which the statement has them."""
    names = tuple(dict.fromkeys(_PARAMETER.findall(_COMMENT.sub("", statement))))
    return [dict(zip(names, row, strict=True)) if isinstance(row, tuple) else row for row in rows]


def sent(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """PostgreSQL's text holds no NUL: one travels, and is kept, as two characters that stand for nothing else."""
    return {name: one if type(one) in _PLAIN else _sent(one) for name, one in parameters.items()}


def received(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The way back of `sent`."""
    texts = [place for place, one in enumerate(rows[0]) if isinstance(one, str) or one is None] if rows else []
    if not any(isinstance(row[place], str) and _MARK in row[place] for row in rows for place in texts):
        return rows
    return [tuple(_received(one) if isinstance(one, str) else one for one in row) for row in rows]


_CONVERSIONS: Mapping[str, Callable[[Any], Any]] = {"double precision": float, "boolean": bool, "halfvec": Half}
_PLAIN = frozenset((int, float, bytes, bool, type(None)))


def _sent(value: Any) -> Any:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str) and (_NUL in value or _MARK in value):
        return value.replace(_MARK, _MARK + _MARK).replace(_NUL, _MARKED_NUL)
    return value


def _received(text: str) -> str:
    return re.sub(f"{_MARK}(.)", lambda match: _NUL if match[1] == _MARKED_NUL[1] else match[1], text)
