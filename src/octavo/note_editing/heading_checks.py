"""Finds level jumps, duplicate siblings and extra top-level headings in a note, and closes the jumps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from octavo.fast_dataclass import dataclass
from octavo.model.lint_rules import DUPLICATE_SIBLING, HEADING_JUMP, SINGLE_H1
from octavo.note_editing.blank_lines_and_line_endings import line_ending
from octavo.note_editing.heading_lines import at_level
from octavo.note_editing.note_heading_outline import ROOT, NoteOutline


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken rule, on which lines, and what would mend it."""

    rule: str
    message: str
    start_line: int
    end_line: int
    heading_path: tuple[str, ...] = ()
    suggested_fix: str | None = None


def violations(outline: NoteOutline, *, single_h1: bool = False) -> tuple[Violation, ...]:
    """In the order of the headings."""
    lines = _line_numbers(outline)
    problems = [*_jumps(outline), *_duplicates(outline, lines), *(_top_headings(outline) if single_h1 else ())]
    made = []
    for number, rule, message, fix in sorted(problems):
        first, last = lines[number]
        made.append(Violation(rule, message, first, last, outline.path(number), fix))
    return tuple(made)


def without_jumps(outline: NoteOutline) -> str:
    """The text with every heading one level below its parent; top-level headings keep theirs."""
    levels: list[int] = []
    for number, parent in enumerate(outline.parents):
        levels.append(outline.headings[number].level if parent == ROOT else levels[parent] + 1)
    ending = line_ending(outline.text)
    pieces: list[str] = []
    done = 0
    for heading, level in zip(outline.headings, levels, strict=True):
        if level != heading.level:
            pieces += (outline.text[done : heading.start], at_level(outline, heading, level, ending))
            done = heading.end
    return "".join((*pieces, outline.text[done:]))


_Found = tuple[int, str, str, str]


def _jumps(outline: NoteOutline) -> Iterator[_Found]:
    for number in range(1, len(outline.headings)):
        before, heading = outline.headings[number - 1], outline.headings[number]
        if heading.level > before.level + 1:
            yield (
                number,
                HEADING_JUMP,
                f"{heading.text!r} has level {heading.level} and follows a heading of level {before.level}",
                f"make it level {before.level + 1}, as doc_auto_fix does",
            )


def _duplicates(outline: NoteOutline, lines: Sequence[tuple[int, int]]) -> Iterator[_Found]:
    first: dict[tuple[int, int, str], int] = {}
    for number, heading in enumerate(outline.headings):
        same = first.setdefault((outline.parents[number], heading.level, heading.text), number)
        if same != number:
            line, _ = lines[same]
            yield (
                number,
                DUPLICATE_SIBLING,
                f"{heading.text!r} is the name of another section below the same parent, on line {line}",
                "rename one of them, or join the two",
            )


def _top_headings(outline: NoteOutline) -> Iterator[_Found]:
    top = [number for number, heading in enumerate(outline.headings) if heading.level == 1]
    for number in top[1:]:
        text = outline.headings[number].text
        yield number, SINGLE_H1, f"{text!r} is another heading of level 1", "make it level 2, and what is below it too"


def _line_numbers(outline: NoteOutline) -> list[tuple[int, int]]:
    """The first and the last line of each heading."""
    lines, line, done = [], 1, 0
    for heading in outline.headings:
        line += outline.text.count("\n", done, heading.start)
        written = outline.text[heading.start : heading.end]
        lines.append((line, line + written.removesuffix("\n").count("\n")))
        done = heading.start
    return lines
