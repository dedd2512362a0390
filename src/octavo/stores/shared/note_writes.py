"""The writes to notes, each with the bytes it replaced.

What was replaced is compressed and in Base64, as a text of its own or behind `START,END,`: how many bytes of the
written file stand before and behind it. Several parts are separated by semicolons.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence

from octavo.model.ids import CollectionId, ProjectId
from octavo.model.note_write import NoteWrite, Replaced, ReplacedPart
from octavo.stores.shared.clock import Clock
from octavo.stores.shared.database import Database, value
from octavo.stores.shared.projects import KeyCache

_KEPT = 200  # writes of one file


class NoteWriteRepository:
    """Fits `ports.NoteWrites`."""

    def __init__(self, database: Database, keys: KeyCache, clock: Clock) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock

    def put(self, project: ProjectId, collection: CollectionId, uri: str, write: NoteWrite) -> int:
        self._keys.forget()  # another process may have removed the collection and added it again
        where = self._where(project, collection, uri)
        with self._database.transaction():
            number = int(value(self._database, "note_write_last", where)) + 1
            row = {
                "number": number,
                "now": self._clock(),
                "operation": write.operation,
                "author": write.author,
                "reason": write.reason,
                "hash": write.hash,
                "old_content": None if write.before is None else _packed(write.before),
            }
            self._database.run("note_write_put", where | row)
            self._database.run("note_writes_prune", where | {"oldest": number - _KEPT})
        return number

    def of(self, project: ProjectId, collection: CollectionId, uri: str) -> Sequence[NoteWrite]:
        return [
            NoteWrite(operation, author, reason, hash_, None if before is None else _unpacked(before), number, at)
            for number, at, operation, author, reason, hash_, before in self._database.rows(
                "note_writes", self._where(project, collection, uri)
            )
        ]

    def _where(self, project: ProjectId, collection: CollectionId, uri: str) -> dict[str, object]:
        owner, place = self._keys.project(project), self._keys.collection(project, collection)
        return {"project": owner, "collection": place, "uri": uri}


def _packed(replaced: Replaced) -> str:
    return ";".join(map(_packed_part, replaced.parts))


def _packed_part(part: ReplacedPart) -> str:
    place = f"{part.start},{part.end}," if part.start or part.end else ""
    return place + base64.b64encode(zlib.compress(part.content, 1)).decode("ascii")


def _unpacked(stored: str) -> Replaced:
    return Replaced(tuple(map(_unpacked_part, stored.split(";"))))


def _unpacked_part(stored: str) -> ReplacedPart:
    *place, packed = stored.split(",")
    return ReplacedPart(zlib.decompress(base64.b64decode(packed)), *map(int, place))
