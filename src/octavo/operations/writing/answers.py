"""What writing gives."""

from __future__ import annotations

from dataclasses import dataclass

from octavo.writing.validate import Violation


@dataclass(frozen=True, slots=True)
class ValidateAnswer:
    """`hash` is the SHA-256 of the file's bytes."""

    collection: str
    uri: str
    hash: str
    ok: bool
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class WriteAnswer:
    """What a change did, or with `dry_run` would do. `hash` is the SHA-256 of the new bytes; the lines are those of the
    section, or of the whole file, as they are then."""

    hash: str
    collection: str = ""
    uri: str = ""
    changed: bool = True
    dry_run: bool = False
    start_line: int = 1
    end_line: int = 1
    diff: str = ""
    indexed: bool | None = None
    """Whether searches find the new text already; unset where nothing was written."""
    note: str | None = None


@dataclass(frozen=True, slots=True)
class AutoFixAnswer(WriteAnswer):
    violations: tuple[Violation, ...] = ()
