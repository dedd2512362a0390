"""Writes a directory as Chroma 1.5 does: the tables and bytes that are read, recorded from a real one."""

from __future__ import annotations

import json
import pickle
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import numpy as np

SCHEMA = """
create table migrations (dir text not null, version integer not null, filename text not null, sql text not null,
  hash text not null, primary key (dir, version));
create table tenants (id text primary key);
create table databases (id text primary key, name text not null, tenant_id text not null);
create table collections (id text primary key, name text not null, dimension integer, database_id text not null,
  config_json_str text, schema_str text, unique (name, database_id));
create table segments (id text primary key, type text not null, scope text not null, collection text not null);
create table embeddings (id integer primary key, segment_id text not null, embedding_id text not null,
  seq_id blob not null, created_at timestamp not null default current_timestamp, unique (segment_id, embedding_id));
create table embedding_metadata (id integer references embeddings (id), key text not null, string_value text,
  int_value integer, float_value real, bool_value integer, primary key (id, key));
create table embedding_metadata_array (id integer not null references embeddings (id), key text not null,
  string_value text, int_value integer, float_value real, bool_value integer);
create table max_seq_id (segment_id text primary key, seq_id integer);
create table embeddings_queue (seq_id integer primary key, created_at timestamp not null default current_timestamp,
  operation integer not null, topic text not null, id text not null, vector blob, encoding text, metadata text);
insert into migrations values ('sysdb', 10, '00010-collection-schema.sqlite.sql', '', ''),
  ('metadb', 6, '00006-metadata-array-support.sqlite.sql', '', ''),
  ('embeddings_queue', 2, '00002-embeddings-queue-config.sqlite.sql', '', '');
insert into tenants values ('default_tenant');
insert into databases values ('0', 'default_database', 'default_tenant');
"""

ALONE = "insert into embedding_metadata values (?, ?, ?, ?, ?, ?)"
ONE_OF_MANY = "insert into embedding_metadata_array values (?, ?, ?, ?, ?, ?)"


@dataclass
class Held:
    """A record to be written. `indexed` ones have their vector in the index folder, the others in the log."""

    id: str
    text: str | None
    vector: Sequence[float] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    indexed: bool = True


def write_chroma(
    folder: Path,
    collections: Mapping[str, Sequence[Held]],
    *,
    functions: Mapping[str, Mapping[str, Any]] | None = None,
    database: str = "0",
) -> Path:
    folder.mkdir(exist_ok=True)
    new = not (folder / "chroma.sqlite3").exists()
    connection = apsw.Connection(str(folder / "chroma.sqlite3"))
    if new:
        connection.execute(SCHEMA)
    with connection:
        for name, records in collections.items():
            _collection(connection, folder, name, records, database, (functions or {}).get(name))
    connection.close()
    return folder


def _collection(
    connection: apsw.Connection,
    folder: Path,
    name: str,
    records: Sequence[Held],
    database: str,
    function: Mapping[str, Any] | None,
) -> None:
    widths = [len(record.vector) for record in records if record.vector is not None]
    id_, vectors, metadata = f"c-{database}-{name}", f"v-{database}-{name}", f"m-{database}-{name}"
    index = {"config": {"space": "cosine", **({"embedding_function": function} if function else {})}}
    schema = json.dumps({"keys": {"#embedding": {"float_list": {"vector_index": index}}}})
    row = (id_, name, widths[0] if widths else None, database, "{}", schema)
    connection.execute("insert into collections values (?, ?, ?, ?, ?, ?)", row)
    connection.execute(
        "insert into segments values (?, '', 'VECTOR', ?), (?, '', 'METADATA', ?)", (vectors, id_, metadata, id_)
    )
    number = 0
    for one in records:
        number = _record(connection, metadata, f"persistent://default/default/{id_}", one)
    connection.execute("insert into max_seq_id values (?, ?)", (metadata, number))
    if any(record.indexed and record.vector is not None for record in records):
        write_index(folder / vectors, [record for record in records if record.indexed and record.vector is not None])


def _record(connection: apsw.Connection, segment: str, topic: str, one: Held) -> int:
    number = connection.execute("select coalesce(max(cast(seq_id as integer)), 0) + 1 from embeddings").get
    connection.execute(
        "insert into embeddings (segment_id, embedding_id, seq_id, created_at) values (?, ?, ?, '2026-11-15 08:44:25')",
        (segment, one.id, number),
    )
    key = connection.last_insert_rowid()
    said = {**one.metadata, **({} if one.text is None else {"chroma:document": one.text})}
    for name, value in said.items():
        for item in value if isinstance(value, list) else [value]:
            connection.execute(ONE_OF_MANY if isinstance(value, list) else ALONE, (key, name, *_columns(item)))
    if one.vector is not None and not one.indexed:
        connection.execute(
            "insert into embeddings_queue (seq_id, operation, topic, id, vector, encoding, metadata)"
            " values (?, 0, ?, ?, ?, 'FLOAT32', ?)",
            (number, topic, one.id, np.array(one.vector, dtype="<f4").tobytes(), json.dumps(said)),
        )
    return int(number)


def _columns(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool):
        return None, None, None, int(value)
    text, integer, number = (value if isinstance(value, kind) else None for kind in (str, int, float))
    return text, integer, number, None


def write_index(folder: Path, records: Sequence[Held]) -> None:
    """As hnswlib does: links, the vector of length one, the label; and a table of labels, in another order."""
    folder.mkdir()
    width = len(records[0].vector or ())
    links, size = 132, 132 + 4 * width + 8
    labels = {one.id: len(records) - place for place, one in enumerate(records)}
    elements = b""
    for one in records:
        vector = np.array(one.vector, dtype="<f4")
        elements += bytes(links) + (vector / np.linalg.norm(vector)).tobytes() + struct.pack("<Q", labels[one.id])
    header = struct.pack("<i6Q", 1, 0, 100, len(records), size, links + 4 * width, links)
    (folder / "header.bin").write_bytes(header + struct.pack("<iIQQQdQ", 1, 0, 16, 32, 16, 0.36, 100))
    (folder / "data_level0.bin").write_bytes(elements + bytes(size * 3))  # room for more
    table = {"dimensionality": None, "total_elements_added": len(records), "id_to_label": labels, "id_to_seq_id": {}}
    (folder / "index_metadata.pickle").write_bytes(pickle.dumps(table))
