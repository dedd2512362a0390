"""Salvages the whole vectors of a damaged file, confirmed by checksums and by entries of its indexes.

A vector counts where its bytes have their checksum and where its row, its input's and its profile's are confirmed by an
entry of their own indexes: a number that changed would give a text the vector of another.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import apsw

from octavo.stores.sqlite.raw_page_reader import RawRow
from octavo.stores.sqlite.salvaged_row_recognition import Row

_MAKE = """
create temp table found_inputs (key integer, project integer, hash blob);
create temp table found_embedding_profiles (key integer, project integer, name text, body text, created_at real);
create temp table found_vectors (
  key integer, project integer, profile integer, input integer, data blob, checksum integer);
create temp table entries_inputs (project integer, hash blob, key integer);
create temp table entries_embedding_profiles (project integer, body text, key integer);
create temp table entries_vectors (project integer, profile integer, input integer, key integer);
"""
_CONFIRMED = """
create index temp.inputs_confirmed on entries_inputs (key);
create index temp.vectors_confirmed on entries_vectors (key);
insert or ignore into inputs (key, project, hash)
select f.key, f.project, f.hash from temp.found_inputs f
join temp.entries_inputs e on e.key = f.key and e.project = f.project and e.hash = f.hash
join projects p on p.key = f.project;
insert or ignore into embedding_profiles (key, project, name, body, created_at)
select f.key, f.project, f.name, f.body, f.created_at from temp.found_embedding_profiles f
join temp.entries_embedding_profiles e on e.key = f.key and e.project = f.project and e.body = f.body
join projects p on p.key = f.project;
insert or ignore into vectors (key, project, profile, input, data, checksum)
select f.key, f.project, f.profile, f.input, f.data, f.checksum from temp.found_vectors f
join temp.entries_vectors e on e.key = f.key and e.project = f.project and e.profile = f.profile and e.input = f.input
join inputs i on i.key = f.input and i.project = f.project
join embedding_profiles p on p.key = f.profile and p.project = f.project
where length(f.data) = 2 * (p.body ->> 'dimensions');
delete from inputs where not exists (select 1 from vectors v where v.input = inputs.key);
update library set value = max(value, (select coalesce(max(key), 0) from inputs)) where name = 'input_key';
"""
_ENTRIES: Mapping[str, tuple[type, ...]] = {
    "inputs": (int, bytes, int),
    "embedding_profiles": (int, str, int),
    "vectors": (int, int, int, int),
}
"""Table → what the entries of its index hold. Others may look the same: an entry only ever confirms."""


class SalvagedVectors:
    """Collects in tables that go with the connection: together they may be larger than memory."""

    def __init__(self, into: apsw.Connection) -> None:
        self._into = into
        into.execute(_MAKE)

    def offer(self, table: str, row: Row | None, raw: RawRow) -> None:
        """What was found on a page that looked like one of `table`."""
        if raw.number is None:
            types = tuple(type(value) for value in raw.values)
            for entries, expected in _ENTRIES.items():
                if types == expected:
                    self._put(f"entries_{entries}", raw.values)
        elif table in _ENTRIES and row is not None and (table != "vectors" or _is_whole(row)):
            self._put(f"found_{table}", row)

    def put(self) -> int:
        """Writes the vectors that are confirmed, with their inputs and profiles; how many."""
        self._into.execute(_CONFIRMED)
        return int(self._into.execute("select count(*) from vectors").get)

    def _put(self, table: str, row: Row) -> None:
        marks = ", ".join("?" * len(row))
        self._into.execute(f"insert into temp.{table} values ({marks})", row)  # noqa: S608 (names of our own)


def _is_whole(row: Row) -> bool:
    data, checksum = row[-2:]
    return isinstance(data, bytes) and zlib.crc32(data) == checksum
