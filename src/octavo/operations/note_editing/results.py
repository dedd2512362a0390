"""Answers of checking, mending and linting notes."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass
from octavo.note_editing.heading_checks import Violation
from octavo.note_editing.note_change_transaction import WriteAnswer
from octavo.note_editing.note_lint import Finding


@dataclass(frozen=True, slots=True)
class ValidateAnswer:
    """`hash` is the SHA-256 of the file's bytes."""

    collection: str
    uri: str
    hash: str
    ok: bool
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class AutoFixAnswer(WriteAnswer):
    violations: tuple[Violation, ...] = ()


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
