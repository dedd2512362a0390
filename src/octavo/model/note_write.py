"""A write to a note: who made it and why, and how to take it back."""

from __future__ import annotations

from dataclasses import dataclass

UNDO = "undo"
"""The operation of a write that took another one back."""


@dataclass(frozen=True, slots=True)
class NoteWrite:
    """`hash` is of the bytes written; `before` are the bytes that were there, None where there was no file."""

    operation: str
    author: str
    reason: str
    hash: str
    before: bytes | None
    number: int = 0
    written_at: float = 0.0
