"""A write to a note: who made it and why, and how to take it back."""

from __future__ import annotations

from octavo.fast_dataclass import Value

UNDO = "undo"
"""The operation of a write that took another one back."""


class ReplacedPart(Value):
    """Bytes that a write replaced: all there were, or those in the place of what was written between the file's first
    `start` bytes and its last `end` ones."""

    content: bytes
    start: int = 0
    end: int = 0


class Replaced(Value):
    """The bytes that a write replaced, in one part or in several, in their order: what is between them stayed."""

    parts: tuple[ReplacedPart, ...]

    def within(self, written: bytes) -> bytes:
        """The whole file as it was, given what was written."""
        pieces: list[bytes] = []
        done = 0
        for part in self.parts:
            pieces += (written[done : part.start], part.content)
            done = len(written) - part.end
        return b"".join((*pieces, written[done:]))

    @property
    def whole(self) -> bool:
        return not any(part.start or part.end for part in self.parts)


class NoteWrite(Value):
    """`hash` is of the bytes written; `before` is what was there, None where there was no file. `renamed_from` is the
    uri that the file had; `together` has the uri and number of each write, where the operation wrote several files;
    `made_folders` are those that were made for it, deepest first, relative to the collection."""

    operation: str
    author: str
    reason: str
    hash: str
    before: Replaced | None
    number: int = 0
    written_at: float = 0.0
    renamed_from: str | None = None
    together: tuple[tuple[str, int], ...] = ()
    made_folders: tuple[str, ...] = ()
