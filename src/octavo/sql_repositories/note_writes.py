"""The writes to notes, each with the bytes it replaced.

What was replaced is compressed and in Base64, as a text of its own or behind `START,END,`: how many bytes of the
written file stand before and behind it. Several parts are separated by semicolons. Before them and a `|` stands, as
JSON, what else the operation did: the file's former uri, the folders made for it, and the numbers of its writes to
other files.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.model.ids import CollectionId, ProjectId
from octavo.model.note_write_record import NoteWrite, Replaced, ReplacedPart
from octavo.sql_repositories.database_port import value
from octavo.sql_repositories.projects_and_collections import ProjectRepository

_KEPT = 200  # writes of one file


class NoteWriteRepository(ProjectRepository):
    """What was written to notes, with the bytes that were there before."""

    def put(self, project: ProjectId, collection: CollectionId, writes: Mapping[str, NoteWrite]) -> Sequence[int]:
        """Records the writes of one operation, by uri, each as its file's next; their numbers. The oldest of many are
        forgotten."""
        self._keys.forget()  # another process may have removed the collection and added it again
        places = {uri: self._where(project, collection, uri) for uri in writes}
        with self._database.transaction():
            numbers = {uri: int(value(self._database, "note_write_last", place)) + 1 for uri, place in places.items()}
            for uri, write in writes.items():
                before = None if write.before is None else _with_others(write, numbers) + _packed(write.before)
                row = {
                    "number": numbers[uri],
                    "now": self._clock(),
                    "operation": write.operation,
                    "author": write.author,
                    "reason": write.reason,
                    "hash": write.hash,
                    "old_content": before,
                }
                self._database.run("note_write_put", places[uri] | row)
                self._database.run("note_writes_prune", places[uri] | {"oldest": numbers[uri] - _KEPT})
        return list(numbers.values())

    def of(self, project: ProjectId, collection: CollectionId, uri: str) -> Sequence[NoteWrite]:
        """The writes to a file, oldest first."""
        writes = []
        rows = self._database.rows("note_writes", self._where(project, collection, uri))
        for number, at, operation, author, reason, hash_, stored in rows:
            others, _, packed = (stored or "").rpartition("|")
            before = None if stored is None else Replaced(tuple(map(_unpacked_part, packed.split(";"))))
            known: dict[str, Any] = json.loads(others) if others else {}
            together = tuple(known.get("together", {}).items())
            moved = known.get("renamed_from"), together, tuple(known.get("made_folders", ()))
            writes.append(NoteWrite(operation, author, reason, hash_, before, number, at, *moved))
        return writes

    def _where(self, project: ProjectId, collection: CollectionId, uri: str) -> dict[str, object]:
        owner, place = self._keys.project(project), self._keys.collection(project, collection)
        return {"project": owner, "collection": place, "uri": uri}


def _with_others(write: NoteWrite, numbers: Mapping[str, int]) -> str:
    if len(numbers) == 1 and write.renamed_from is None:
        return ""
    together = numbers if len(numbers) > 1 else {}
    made = {"made_folders": write.made_folders} if write.made_folders else {}
    return json.dumps({"renamed_from": write.renamed_from, "together": together, **made}) + "|"


def _packed(replaced: Replaced) -> str:
    return ";".join(map(_packed_part, replaced.parts))


def _packed_part(part: ReplacedPart) -> str:
    place = f"{part.start},{part.end}," if part.start or part.end else ""
    return place + base64.b64encode(zlib.compress(part.content, 1)).decode("ascii")


def _unpacked_part(stored: str) -> ReplacedPart:
    *place, packed = stored.split(",")
    return ReplacedPart(zlib.decompress(base64.b64decode(packed)), *map(int, place))
