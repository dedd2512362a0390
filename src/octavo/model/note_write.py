"""A write to a note: who made it and why, and how to take it back."""

from __future__ import annotations

from dataclasses import dataclass

UNDO = "undo"
"""The operation of a write that took another one back."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """The bytes that a write replaced: all there were, or those between the first `start` and the last `end` ones,
    which the file has in common with what was written."""

    content: bytes
    start: int = 0
    end: int = 0

    def within(self, written: bytes) -> bytes:
        """The whole file as it was, given what was written."""
        return written[: self.start] + self.content + written[len(written) - self.end :]

    @property
    def whole(self) -> bool:
        return not (self.start or self.end)


@dataclass(frozen=True, slots=True)
class NoteWrite:
    """`hash` is of the bytes written; `before` is what was there, None where there was no file."""

    operation: str
    author: str
    reason: str
    hash: str
    before: Replaced | None
    number: int = 0
    written_at: float = 0.0
