"""Vectors of half precision between what a store keeps, little-endian bytes, and what pgvector sends and takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from psycopg.abc import AdaptContext
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format
from psycopg.types import TypeInfo

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADER = 4  # two bytes of dimensions, two that are unused


class Half(bytes):
    """Little-endian float16, one after the other: a vector as `VectorRow` has it."""

    __slots__ = ()


class HalfDumper(Dumper):
    """pgvector takes big-endian halves after their number."""

    format = Format.BINARY

    def dump(self, obj: Half) -> Buffer:
        import numpy as np

        return (len(obj) // 2).to_bytes(2, "big") + b"\0\0" + np.frombuffer(obj, "<f2").astype(">f2").tobytes()


def little_endian(sent: str | bytes) -> bytes:
    """A vector's bytes from what pgvector sends: in full precision of its type, or spelt out."""
    import numpy as np

    if isinstance(sent, str):
        return np.array(sent.strip("[]").split(","), dtype=np.float64).astype("<f2").tobytes()
    return np.frombuffer(sent[_HEADER:], ">f2").astype("<f2").tobytes()


def spelt(vector: NDArray[np.float32]) -> str:
    """A query's vector in the words pgvector reads."""
    return f"[{','.join(map(str, vector.tolist()))}]"


def register(connection: AdaptContext, oid: int, array_oid: int) -> None:
    """Tells a connection the numbers the extension's type has in its database, known from the first one on."""
    TypeInfo("halfvec", oid, array_oid).register(connection)
    dumper = type("HalfDumper", (HalfDumper,), {"oid": oid})
    if connection.adapters is not None:
        connection.adapters.register_dumper(Half, dumper)


def matrix(sent: Sequence[bytes], dimensions: int) -> NDArray[np.float32]:
    """Rows from what `halfvec_send` gives."""
    import numpy as np

    joined = np.frombuffer(b"".join(one[_HEADER:] for one in sent), dtype=">f2")
    return joined.astype(np.float32).reshape(len(sent), dimensions)
