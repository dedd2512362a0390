"""Chroma's directory, read without Chroma: its SQLite file for records, its index folders for vectors."""

from __future__ import annotations

import io
import json
import pickle
import struct
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.engine.engine import Engine
from octavo.errors import LibraryError, NewerLibrary, NotALibrary, NotFound
from octavo.fast_dataclass import Value
from octavo.observability.progress import Progress
from octavo.operations.database.results import Imported
from octavo_import.collection_import import SourceCollection, count_records, import_records
from octavo_import.foreign_sqlite_file import SqliteFile
from octavo_import.imported_record_writer import ImportedRecord

DATABASE = "chroma.sqlite3"
KNOWN = {"sysdb": 10, "metadb": 6, "embeddings_queue": 2}
"""The last change of each part of the schema that this reads: Chroma 1.5's. Earlier ones back to 0.4 are read too."""

_DOCUMENT = "chroma:document"
_NEEDED = frozenset(("collections", "segments", "embeddings", "embedding_metadata", "embeddings_queue", "migrations"))
_HEADER = struct.Struct("<i6Q")
_VERSION = 1
_HINT = "leave the index folder out: records without a vector are embedded anew"


def claims(folder: Path) -> bool:
    return (folder / DATABASE).is_file()


def open_source(folder: Path) -> ChromaDirectory:
    return ChromaDirectory(folder)


class ChromaDirectory:
    program = "chroma"

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_dir():
            raise NotFound(f"there is no directory {path}", hint="name the directory that Chroma was given as its path")
        if not (path / DATABASE).is_file():
            raise NotALibrary(
                f"{path} is not a Chroma directory: it has no {DATABASE}",
                hint="name the directory that Chroma was given as its path; before 0.4 Chroma kept another format",
            )
        self._file = SqliteFile(path / DATABASE, "Chroma", "chroma")
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def import_into(self, engine: Engine, progress: Progress) -> Imported:
        return import_records(engine, self, progress)

    def preview(self) -> Imported:
        return count_records(self)

    def collections(self) -> tuple[SourceCollection, ...]:
        columns = self._file.columns("collections")
        rows = self._file.rows(
            "collections",
            database="(select name from databases d where d.id = c.database_id)" if "database_id" in columns else "''",
            configuration="c.config_json_str" if "config_json_str" in columns else "null",
            schema="c.schema_str" if "schema_str" in columns else "null",
        )
        return tuple(_collection(*row) for row in rows)

    def count(self, collection: SourceCollection) -> int:
        segment = self._segment(collection, "METADATA")
        waiting = self._file.rows("waiting", {"collection": collection.id, "segment": segment})[0][0]
        if waiting:
            raise LibraryError(
                f"{self.path} has {waiting} changes of {collection.name} that Chroma has not carried out yet",
                hint="open the collection once with Chroma, ask for its count, and close it",
            )
        return int(self._file.rows("count", {"segment": segment})[0][0])

    def pages(self, collection: SourceCollection, size: int) -> Iterator[tuple[ImportedRecord, ...]]:
        """Every record, in the order of the ids."""
        segment, after = self._segment(collection, "METADATA"), ""
        while rows := self._file.rows("records", {"segment": segment, "after": after, "limit": size}):
            metadata = self._metadata([row[0] for row in rows])
            yield tuple(_record(id_, metadata.get(key, {}), created) for key, id_, created in rows)
            after = rows[-1][1]

    def vectors(self, collection: SourceCollection) -> ChromaVectors:
        segment = self._segment(collection, "VECTOR")
        folder = open_folder(self.path / segment, collection.dimensions) if segment and collection.dimensions else None
        return ChromaVectors(self, folder, dict(self._file.rows("queued", {"collection": collection.id})))

    def queued_vector(self, number: int) -> NDArray[np.float32] | None:
        rows = self._file.rows("queued_vector", {"seq_id": number})
        return floats(*rows[0]) if rows else None

    def close(self) -> None:
        self._file.close()

    def _check(self) -> None:
        if missing := _NEEDED - self._file.tables():
            raise NotALibrary(
                f"{self.path / DATABASE} is not Chroma's: it has no table {min(missing)}",
                hint="name the directory that Chroma was given as its path",
            )
        for part, version in self._file.rows("versions"):
            if version > KNOWN.get(part, 0):
                raise NewerLibrary(
                    f"{self.path} was written by a newer Chroma ({part} {version}; this Octavo reads up to"
                    f" {KNOWN.get(part, 0)})",
                    hint="upgrade Octavo, or write the records into a folder of files and add that",
                )

    def _metadata(self, keys: Sequence[int]) -> Mapping[int, dict[str, Any]]:
        truth = "bool_value" if "bool_value" in self._file.columns("embedding_metadata") else "null"
        rows = {"rows": json.dumps(keys)}
        metadata: dict[int, dict[str, Any]] = {}
        for key, name, *columns in self._file.rows("values", rows, truth=truth):
            metadata.setdefault(key, {})[name] = _scalar(columns)
        if self._file.columns("embedding_metadata_array"):
            for key, name, *columns in self._file.rows("lists", rows):
                values = metadata.setdefault(key, {}).setdefault(name, [])
                if isinstance(values, list):
                    values.append(_scalar(columns))
        return metadata

    def _segment(self, collection: SourceCollection, scope: str) -> str:
        rows = self._file.rows("segment", {"collection": collection.id, "scope": scope})
        return str(rows[0][0]) if rows else ""


class ChromaVectors:
    """Vectors by the ids of their records. What waits in the log is newer than what the index folder holds."""

    def __init__(self, directory: ChromaDirectory, folder: HnswFolder | None, queued: Mapping[str, int]) -> None:
        self._directory = directory
        self._folder = folder
        self._queued = queued

    def of(self, record: str) -> NDArray[np.float32] | None:
        if record in self._queued:
            return self._directory.queued_vector(self._queued[record])
        return self._folder.of(record) if self._folder is not None else None


def _collection(
    id_: str, name: str, dimensions: int | None, database: str | None, configuration: str | None, schema: str | None
) -> SourceCollection:
    function = _function(schema, configuration)
    return SourceCollection(
        id_, name, dimensions, database or "", str(function.get("name") or ""), function.get("config") or {}
    )


def _function(schema: str | None, configuration: str | None) -> dict[str, Any]:
    """What made the vectors: Chroma 1.2 and later say it in the schema, some before in the configuration."""
    try:
        keys = (json.loads(schema) if schema else {}).get("keys", {})
        index = keys.get("#embedding", {}).get("float_list", {}).get("vector_index", {}).get("config", {})
        function = index.get("embedding_function") or json.loads(configuration or "{}").get("embedding_function")
    except (ValueError, AttributeError):
        return {}
    return function if isinstance(function, dict) else {}


def _record(id_: str, metadata: dict[str, Any], created: Any) -> ImportedRecord:
    text = metadata.pop(_DOCUMENT, None)
    return ImportedRecord(id_, text if isinstance(text, str) else None, metadata, _instant(created))


def _scalar(values: Sequence[Any]) -> Any:
    text, integer, number, truth = values
    if truth is not None:
        return bool(truth)
    return next((value for value in (text, integer, number) if value is not None), None)


def _instant(said: Any) -> float:
    if isinstance(said, int | float):
        return float(said)
    try:
        return datetime.fromisoformat(str(said)).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0


class HnswFolder(Value):
    """Vectors as they were given, or of length one where the index compares by cosine."""

    rows: NDArray[np.float32]
    places: Mapping[str, int]

    def of(self, record: str) -> NDArray[np.float32] | None:
        place = self.places.get(record)
        return None if place is None else self.rows[place]


def open_folder(folder: Path, dimensions: int) -> HnswFolder | None:
    """None where nothing was written into the folder yet: then the log holds all there is."""
    table, header, data = (folder / name for name in ("index_metadata.pickle", "header.bin", "data_level0.bin"))
    if not (table.is_file() and header.is_file() and data.is_file()):
        return None
    raw = header.read_bytes()
    if len(raw) < _HEADER.size:
        raise LibraryError(f"{header} is too short", hint=_HINT)
    version, _, _, count, size, label_at, vector_at = _HEADER.unpack(raw[: _HEADER.size])
    if version != _VERSION:
        raise LibraryError(f"{header} is of version {version}; this Octavo reads {_VERSION}", hint=_HINT)
    if label_at - vector_at != 4 * dimensions or size < label_at + 8 or data.stat().st_size < count * size:
        raise LibraryError(f"{folder} holds no vectors of {dimensions} dimensions", hint=_HINT)
    if not count:
        return None
    elements = np.memmap(data, dtype=np.uint8, mode="r", shape=(count, size))
    labels = np.ascontiguousarray(elements[:, label_at : label_at + 8]).view("<u8").ravel()
    at = {int(label): place for place, label in enumerate(labels.tolist())}
    places = {str(id_): at[label] for id_, label in _labels(table).items() if label in at}
    return HnswFolder(elements[:, vector_at:label_at].view("<f4"), places)


def floats(raw: bytes, encoding: str | None) -> NDArray[np.float32] | None:
    """A vector as the log holds it."""
    kind = {"FLOAT32": "<f4", "INT32": "<i4"}.get(encoding or "FLOAT32")
    return None if kind is None else np.frombuffer(raw, dtype=kind).astype(np.float32)


class _Table:
    """Stands for the one class of Chroma's own that its tables were once pickled as."""


class _Careful(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name == "PersistentData" and module.startswith("chromadb."):
            return _Table
        raise pickle.UnpicklingError(f"{module}.{name} does not belong there")


def _labels(table: Path) -> Mapping[str, int]:
    try:
        stored = _Careful(io.BytesIO(table.read_bytes())).load()
        labels = stored["id_to_label"] if isinstance(stored, dict) else stored.__dict__["id_to_label"]
        return {str(name): int(label) for name, label in labels.items()}
    except Exception as error:
        raise LibraryError(f"{table} cannot be read: {error}", hint=_HINT) from error
