"""Answers of checking, mending and linting notes; and the lines of every change to one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from octavo.fast_dataclass import Value, dataclass
from octavo.model.lint_rules import Severity
from octavo.note_editing.heading_checks import Violation
from octavo.note_editing.note_change_transaction import LinkedWriteAnswer, WriteAnswer
from octavo.note_editing.note_lint import Finding
from octavo.operations.styled_answer_lines import Line, Part, count, diff_lines


class ValidateAnswer(Value):
    """`hash` is the SHA-256 of the file's bytes."""

    collection: str
    uri: str
    hash: str
    ok: bool
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class AutoFixAnswer(WriteAnswer):
    violations: tuple[Violation, ...] = ()


class FixedNote(Value):
    """A note whose heading jumps were closed, or with `dry_run` would be."""

    collection: str
    uri: str
    diff: str


class LintAnswer(Value):
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


def validate_lines(answer: ValidateAnswer) -> Iterator[Line]:
    yield from _violations(f"{answer.collection}/{answer.uri}", answer.violations)
    yield (Part(f"hash {answer.hash}", "dim"),)


def write_lines(answer: WriteAnswer) -> Iterator[Line]:
    place = f"{answer.collection}/{answer.uri}"
    done = "Would write" if answer.dry_run else "Wrote"
    yield (
        Part(done if answer.changed else "Nothing changes in", "good"),
        Part(" "),
        Part(place, "place", place),
        Part(f", lines {answer.start_line}-{answer.end_line}", "dim"),
    )
    yield (Part(f"hash {answer.hash}", "dim"),)
    if answer.note:
        yield (Part(answer.note),)
    yield from diff_lines(answer.diff)


def auto_fix_lines(answer: AutoFixAnswer) -> Iterator[Line]:
    yield from write_lines(answer)
    yield from _violations(f"{answer.collection}/{answer.uri}", answer.violations)


def linked_write_lines(answer: LinkedWriteAnswer) -> Iterator[Line]:
    yield from write_lines(answer)
    if not answer.links:
        return
    links = count(len(answer.links), "link")
    if answer.links_updated:
        done = "would be updated" if answer.dry_run else "updated"
    elif answer.dry_run:
        done = "would lead elsewhere; update_links writes them anew"
    else:
        done = "lead elsewhere now; undo this, and give update_links, to write them anew"
    yield (Part(f"{links} {done}:"),)
    for link in answer.links:
        place = f"{answer.collection}/{link.uri}"
        becomes = link.after if link.after is not None else "cannot be written otherwise"
        yield Part(place, "place", place), Part(f" line {link.line}  ", "dim"), Part(f"{link.before} → {becomes}")


def _violations(place: str, violations: Sequence[Violation]) -> Iterator[Line]:
    if not violations:
        yield Part("Its headings are in order: ", "good"), Part(place, "place", place)
        return
    yield Part(count(len(violations), "violation")), Part(" in "), Part(place, "place", place)
    for violation in violations:
        fix = f" ({violation.suggested_fix})" if violation.suggested_fix else ""
        yield (
            Part(f"line {violation.start_line}  ", "dim"),
            Part(violation.rule, "bad"),
            Part(f"  {violation.message}"),
            Part(fix, "dim"),
        )


def lint_lines(answer: LintAnswer) -> Iterator[Line]:
    place = ""
    for finding in answer.findings:
        here = f"{finding.collection}/{finding.uri}"
        if here != place:
            place = here
            yield (Part(place, "place", place),)
        fix = f" ({finding.suggested_fix})" if finding.suggested_fix else ""
        yield (
            Part(f"  line {finding.start_line}  ", "dim"),
            Part(finding.rule, "dim" if finding.severity == Severity.NOTE else "bad"),
            Part(f"  {finding.message}"),
            Part(fix, "dim"),
        )
    if answer.total > len(answer.findings):
        yield (Part(f"… and {answer.total - len(answer.findings):,} more: raise limit", "dim"),)
    for note in answer.fixed:
        yield (
            Part("Would mend " if answer.dry_run else "Mended ", "good"),
            Part(f"{note.collection}/{note.uri}", "place"),
        )
        yield from diff_lines(note.diff)
    for name in answer.unread:
        yield Part("could not be read as UTF-8: ", "bad"), Part(name, "place", name)
    counts = ", ".join(f"{number:,} {rule}" for rule, number in answer.counts.items())
    checked = f"{count(answer.notes, 'note')} checked"
    yield (Part(f"{checked}: {counts or 'nothing to report'}", "good" if answer.ok else "bad"),)
