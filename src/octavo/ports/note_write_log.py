"""The log of writes to notes with the bytes they replaced, by which a write can be undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from octavo.model.ids import CollectionId, ProjectId
    from octavo.model.note_write_record import NoteWrite


class NoteWrites(Protocol):
    """What was written to notes, with the bytes that were there before."""

    def put(self, project: ProjectId, collection: CollectionId, writes: Mapping[str, NoteWrite]) -> Sequence[int]:
        """Records the writes of one operation, by uri, each as its file's next; their numbers. The oldest of many are
        forgotten."""

    def of(self, project: ProjectId, collection: CollectionId, uri: str) -> Sequence[NoteWrite]:
        """The writes to a file, oldest first."""
