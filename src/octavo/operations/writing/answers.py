"""What writing gives."""

from __future__ import annotations

from octavo.dataclass import dataclass
from octavo.writing.links import LinkChange
from octavo.writing.lint import Finding
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


@dataclass(frozen=True, slots=True)
class LinkedWriteAnswer(WriteAnswer):
    """`links` are those of the collection that lead elsewhere after the change; `links_updated`, whether they were, or
    in a dry run would be, written anew. They are looked for in a dry run and when they are to be updated."""

    links: tuple[LinkChange, ...] = ()
    links_updated: bool = False


@dataclass(frozen=True, slots=True)
class FixedNote:
    """A note whose heading jumps were closed, or with `dry_run` would be."""

    collection: str
    uri: str
    diff: str


@dataclass(frozen=True, slots=True)
class LintAnswer:
    """`ok` is false when a finding is more than a note. `counts` are of all findings, by rule, also of those that
    `limit` keeps from `findings`."""

    ok: bool
    notes: int
    total: int
    counts: dict[str, int]
    findings: tuple[Finding, ...] = ()
    fixed: tuple[FixedNote, ...] = ()
    unread: tuple[str, ...] = ()
    """Files that are not UTF-8, or could not be read."""
    dry_run: bool = False
