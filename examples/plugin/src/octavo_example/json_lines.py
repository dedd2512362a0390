"""Records from a folder with `records.jsonl`: an object with `id`, `text` and anything else in each line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument
from octavo.observability.progress import Progress
from octavo.operations.database.results import Imported
from octavo_import.collection_import import SourceCollection, count_records, import_records
from octavo_import.imported_record_writer import ImportedRecord

_FILE = "records.jsonl"


def claims(folder: Path) -> bool:
    return (folder / _FILE).is_file()


def open_source(folder: Path) -> JsonLines:
    """Reads the file before a library is made for it, so that a malformed line costs nothing."""
    try:
        rows = [json.loads(line) for line in (folder / _FILE).read_text("utf-8").splitlines() if line.strip()]
        records = [ImportedRecord(str(row.pop("id")), row.pop("text", None), row, 0.0) for row in rows]
    except (ValueError, KeyError, AttributeError) as error:
        raise InvalidArgument(f"{folder / _FILE} is malformed: {error}", hint="a line is {id, text, …}") from error
    return JsonLines(folder.name, sorted(records, key=lambda record: record.id))


class JsonLines:
    """Fits `octavo_import.collection_import.RecordSource`."""

    program = "json_lines"

    def __init__(self, name: str, records: Sequence[ImportedRecord]) -> None:
        self._name = name
        self._records = records

    def import_into(self, engine: Engine, progress: Progress) -> Imported:
        return import_records(engine, self, progress)

    def preview(self) -> Imported:
        return count_records(self)

    def collections(self) -> Sequence[SourceCollection]:
        return [SourceCollection("records", self._name)]

    def count(self, collection: SourceCollection) -> int:
        return len(self._records)

    def pages(self, collection: SourceCollection, size: int) -> Iterator[Sequence[ImportedRecord]]:
        for start in range(0, len(self._records), size):
            yield self._records[start : start + size]

    def vectors(self, collection: SourceCollection) -> NoVectors:
        return NoVectors()

    def close(self) -> None:
        pass


class NoVectors:
    """The library's own model embeds every record."""

    def of(self, record: str) -> None:
        return None
