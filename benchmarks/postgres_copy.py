"""Rows for an empty library on PostgreSQL by COPY: what stores would insert, made by several processes.

Stores write a million chunks in an hour, and an HNSW index takes as long again. Here vectors come first, so that
their index can be built while the rest is copied; keys are counted on by position, nothing is looked up, and foreign
keys are not checked meanwhile. Words are put in blocks as large as those that merging small ones ends with.
"""

from __future__ import annotations

import multiprocessing
import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from octavo.engine.wiring import open_library
from octavo_postgres.sql_dialect import encoded, query_texts, with_names

BLOCK = 64_000  # chunks whose words are one block
_TYPES = {"bigint": "int8", "double precision": "float8"}
_NEW = frozenset(("documents_at", "last_versions", "texts_known", "inputs_known", "lexical_blocks_small"))
"""What a store asks about rows that were there before: there were none."""
_INSERT = re.compile(r"insert into (\w+) \(([^)]*)\)\s*values \(([^)]*)\)")
_TERMS = "insert into lexical_terms (project, term) select distinct project, term from lexical_postings"

Documents = Callable[[int, int], Sequence[Any]]
"""Prepared documents from one number up to another."""


def copy_vectors(url: str, project: int, profile: int, blocks: Iterable[NDArray[np.float16]]) -> None:
    """Vectors of the inputs 1, 2, 3 …, which need not be there yet."""
    first, columns = 1, "project, profile, input, data, checksum"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("set session_replication_role = replica")
        with connection.cursor().copy(f"copy vectors ({columns}) from stdin (format binary)".encode()) as copy:
            copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
            for vectors in blocks:
                copy.write(_records(project, profile, first, vectors))
                first += len(vectors)
            copy.write(b"\xff\xff")


def _records(project: int, profile: int, first: int, vectors: NDArray[np.float16]) -> bytes:
    """COPY's binary format: each value after its length; a half-precision vector begins with its dimensions."""
    count, dimensions = vectors.shape
    number = [("length", ">i4"), ("value", ">i8")]
    vector = [("length", ">i4"), ("dimensions", ">i2"), ("unused", ">i2"), ("value", ">f2", (dimensions,))]
    numbers = {"project": project, "profile": profile, "input": first + np.arange(count)}
    fields = [("fields", ">i2"), *((name, number) for name in numbers), ("data", vector), ("checksum", number)]
    rows = np.zeros(count, np.dtype(fields))
    rows["fields"] = len(fields) - 1
    for name, values in {**numbers, "checksum": [zlib.crc32(row.tobytes()) for row in vectors]}.items():
        rows[name]["length"], rows[name]["value"] = 8, values
    rows["data"]["length"], rows["data"]["dimensions"], rows["data"]["value"] = 4 + 2 * dimensions, dimensions, vectors
    return rows.tobytes()


def copy_rows(url: str, documents: Documents, count: int, per_document: int, processes: int) -> None:
    """`count` documents of `per_document` chunks each, whose inputs are all different."""
    size = BLOCK // per_document
    parts = [(number, first, min(count, first + size)) for number, first in enumerate(range(0, count, size), start=1)]
    with psycopg.connect(url, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f"alter database {name} set session_replication_role = replica".encode())
        with multiprocessing.get_context("fork").Pool(processes, _start, (url, documents, per_document)) as pool:
            pool.map(_copy, parts, chunksize=1)
        connection.execute(f"alter database {name} reset session_replication_role".encode())
        connection.execute(_TERMS.encode())
        chunks = count * per_document
        reached = dict.fromkeys(("chunk_key", "input_key", "lexical_row"), chunks)
        for name, value in {**reached, "document_key": count, "lexical_block": len(parts)}.items():
            connection.execute("update library set value = %s where name = %s", (value, name))
        connection.execute("update library set value = value + 1 where name = 'generation'")
        connection.execute("vacuum analyze")


def _start(*given: Any) -> None:
    global _url, _documents, _per_document  # of this process
    _url, _documents, _per_document = given


def _copy(part: tuple[int, int, int]) -> None:
    block, first, last = part
    with open_library(_url) as engine, psycopg.connect(_url, autocommit=True) as connection:
        store: Any = engine.store
        counters = dict.fromkeys(("chunk_key", "input_key", "lexical_row"), first * _per_document)
        counters |= {"document_key": first, "lexical_block": block - 1}
        _divert(store.database, connection, counters)
        collection, project, words = engine.collections()[0], engine.project.id, []
        for start in range(first, last, 100):
            prepared = _documents(start, min(last, start + 100))
            keys = store.documents.put_all(project, collection.id, prepared)
            pairs = [
                pair for some, made in zip(keys, prepared, strict=True) for pair in zip(some, made.chunks, strict=True)
            ]
            store.embeddings.expect(project, [(key, chunk.inputs) for key, chunk in pairs])
            words += [(key, chunk.lexical) for key, chunk in pairs]
        store.lexical.put(project, words)


def _divert(database: Any, connection: psycopg.Connection[Any], counters: dict[str, int]) -> None:
    """Inserts go by COPY on `connection`, keys come from `counters`, and nothing else is written."""
    read, texts = database.rows, query_texts()

    def run_many(name: str, rows: Iterable[Any]) -> None:
        listed = with_names(texts[name], rows) if name.rpartition("_")[2] in ("put", "add") else []
        if not listed:
            return
        inserted = _INSERT.search(texts[name])
        assert inserted is not None
        columns, parameters = (re.findall(r"\w+", part) for part in inserted.groups()[1:])
        table = inserted[1]
        types = dict(read("column_types", {"table": table}))
        kinds = [types[column] for column in columns]
        names = ", ".join(f'"{column}"' for column in columns)
        with connection.cursor().copy(f"copy {table} ({names}) from stdin (format binary)".encode()) as copy:
            copy.set_types([_TYPES.get(kind, kind) for kind in kinds])
            for row in listed:
                values = encoded(row)
                copy.write_row(
                    [
                        float(values[one]) if kind == "double precision" and values[one] is not None else values[one]
                        for one, kind in zip(parameters, kinds, strict=True)
                    ]
                )

    def run(name: str, parameters: Any = None) -> None:
        if name == "keys_reserve":
            counters[parameters["name"]] += parameters["count"]
        elif name == "lexical_block_put":
            run_many(name, [parameters])

    def rows(name: str, parameters: Any = None, settings: Sequence[str] = ()) -> list[Any]:
        if name == "keys_reserved":
            return [(counters[parameters["name"]],)] if parameters["name"] in counters else []
        return [] if name in _NEW else read(name, parameters, settings)

    database.run_many, database.run, database.rows = run_many, run, rows
