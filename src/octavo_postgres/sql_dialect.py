"""The PostgreSQL dialect: named queries in the driver's syntax, text and half-precision vectors as it stores them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from psycopg.abc import AdaptContext
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format
from psycopg.types import TypeInfo

from octavo.lazy_regex import regex
from octavo.sql_repositories.named_sql_queries import load_queries

_HEADER = 4  # two bytes of dimensions, two unused


class Half(bytes):
    """Little-endian float16 values: a vector as in a `VectorRow`."""

    __slots__ = ()


class HalfDumper(Dumper):
    """pgvector expects the number of dimensions, then big-endian halves."""

    format = Format.BINARY

    def dump(self, obj: Half) -> Buffer:
        return (len(obj) // 2).to_bytes(2, "big") + b"\0\0" + np.frombuffer(obj, "<f2").astype(">f2").tobytes()


def little_endian(value: str | bytes) -> bytes:
    """A vector's bytes from pgvector's output, binary or text."""
    if isinstance(value, str):
        return np.array(value.strip("[]").split(","), dtype=np.float64).astype("<f2").tobytes()
    return np.frombuffer(value[_HEADER:], ">f2").astype("<f2").tobytes()


def vector_literal(vector: NDArray[np.float32]) -> str:
    """A query vector as a pgvector literal."""
    return f"[{','.join(map(str, vector.tolist()))}]"


def register(connection: AdaptContext, oid: int, array_oid: int) -> None:
    """Registers the extension's type, whose oids differ between databases, with a connection."""
    TypeInfo("halfvec", oid, array_oid).register(connection)
    dumper = type("HalfDumper", (HalfDumper,), {"oid": oid})
    if connection.adapters is not None:
        connection.adapters.register_dumper(Half, dumper)


def matrix(rows: Sequence[bytes], dimensions: int) -> NDArray[np.float32]:
    """Rows of numbers from the output of `halfvec_send`."""
    joined = np.frombuffer(b"".join(row[_HEADER:] for row in rows), dtype=">f2")
    return joined.astype(np.float32).reshape(len(rows), dimensions)


PACKAGE = "octavo_postgres"
BASE = "octavo.stores.sqlite"
"""Most queries are SQLite's, unchanged; a few functions in the first migration (`json_each`, `json_keys`, `hex`,
`unhex`, `instr`) make PostgreSQL understand them."""

ONLY_BASE = ("file.sql", "lexical.sql", "snapshots.sql")
"""Posting lists are stored differently here; there are no files and no snapshots: a server has its own indexes."""

_KEYS = frozenset(("keys", "documents", "inputs", "chunks", "blocks"))
"""Lists with these names contain keys, which are numbers; all other lists contain texts. SQLite accepts either."""

_LIST = regex(r"json_each\(:([a-z_]+)\)")
_CROSS_JOIN = regex(r"\bcross join (\w+ \w+)(?=\s+on\b)")
_INDEX_HINT = regex(r"\s+indexed by \w+")
_COMMENT = regex(r"--[^\n]*\n?")
_PARAMETER = regex(r"(?<![:\w]):([a-z_]+)")
_INSERT = regex(r"\s*(insert into (\w+) \(([^)]*)\)\s*)values \(([^)]*)\)(.*)", re.DOTALL)

_NUL, _ESCAPE, _ESCAPED_NUL = "\0", "\ufdd1", "\ufdd1\ufdd0"


def query_texts() -> Mapping[str, str]:
    """Every query as written in its file."""
    return load_queries(PACKAGE, BASE, ONLY_BASE)


@cache
def queries() -> Mapping[str, bytes]:
    """Every query in the driver's syntax."""
    return {name: driver_syntax(body).encode() for name, body in query_texts().items()}


def driver_syntax(query: str) -> str:
    """`:name` → `%(name)s`. Planner hints for SQLite, which has no statistics, are removed: PostgreSQL obeys them."""
    statement = _CROSS_JOIN.sub(r"join \1", _INDEX_HINT.sub("", _COMMENT.sub("", query)))
    statement = _LIST.sub(lambda match: f"json_keys({match[0][10:]}" if match[1] in _KEYS else match[0], statement)
    return _PARAMETER.sub(r"%(\1)s", statement.replace("%", "%%"))


class Batch(NamedTuple):
    """An insert of arrays, one for each column, and the parameters whose type Python does not determine."""

    query: bytes
    conversions: Mapping[str, Callable[[Any], Any]]

    def arrays(self, rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {}
        for row in rows:
            for name, value in row.items():
                columns.setdefault(name, []).append(value if type(value) in _PLAIN else _encoded(value))
        for name, convert in self.conversions.items():
            columns[name] = [None if value is None else convert(value) for value in columns[name]]
        return columns


def batched(statement: str, column_types: Callable[[str], Mapping[str, str]]) -> Batch | None:
    """An insert of one row as an insert of many; None for any other statement.

    A thousand rows are then one statement that is sent, planned and answered once.
    """
    match = _INSERT.fullmatch(_COMMENT.sub("", statement))
    if match is None:
        return None
    beginning, table, columns, values, rest = match.groups()
    names = [column.strip().strip('"') for column in columns.split(",")]
    parameters = [value.strip() for value in values.split(",")]
    if any(not _PARAMETER.fullmatch(parameter) for parameter in parameters) or len(set(parameters)) < len(names):
        return None
    types = column_types(table)
    types_of = {parameter.removeprefix(":"): types[column] for parameter, column in zip(parameters, names, strict=True)}
    # The b requests the binary format for numbers.
    arrays = ", ".join(f"%({parameter})b::{kind}[]" for parameter, kind in types_of.items())
    query = f"{beginning}{query_texts()['rows_of_arrays']}({arrays}){driver_syntax(rest)}"
    return Batch(
        query.encode(), {parameter: _CONVERSIONS[kind] for parameter, kind in types_of.items() if kind in _CONVERSIONS}
    )


def with_names(statement: str, rows: Iterable[Mapping[str, Any] | tuple[Any, ...]]) -> list[Mapping[str, Any]]:
    """Rows given as tuples, as mappings by the names of the statement's parameters in order."""
    names = tuple(dict.fromkeys(_PARAMETER.findall(_COMMENT.sub("", statement))))
    return [dict(zip(names, row, strict=True)) if isinstance(row, tuple) else row for row in rows]


def encoded(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """PostgreSQL's text cannot contain NUL: it is sent and stored as two characters that represent nothing else."""
    return {name: value if type(value) in _PLAIN else _encoded(value) for name, value in parameters.items()}


def decoded(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The inverse of `encoded`, for rows."""
    texts = [column for column, value in enumerate(rows[0]) if isinstance(value, str) or value is None] if rows else []
    if not any(isinstance(row[column], str) and _ESCAPE in row[column] for row in rows for column in texts):
        return rows
    return [tuple(_decoded(value) if isinstance(value, str) else value for value in row) for row in rows]


_CONVERSIONS: Mapping[str, Callable[[Any], Any]] = {"double precision": float, "boolean": bool, "halfvec": Half}
_PLAIN = frozenset((int, float, bytes, bool, type(None)))


def _encoded(value: Any) -> Any:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str) and (_NUL in value or _ESCAPE in value):
        return value.replace(_ESCAPE, _ESCAPE + _ESCAPE).replace(_NUL, _ESCAPED_NUL)
    return value


def _decoded(text: str) -> str:
    return re.sub(f"{_ESCAPE}(.)", lambda match: _NUL if match[1] == _ESCAPED_NUL[1] else match[1], text)
