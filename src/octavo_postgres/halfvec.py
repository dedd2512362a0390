"""Half-precision vectors: conversion between stored little-endian bytes and pgvector's wire format."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from psycopg.abc import AdaptContext
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format
from psycopg.types import TypeInfo

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
