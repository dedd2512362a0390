"""Edits of one section: insert, replace, append. Each gives the whole new text, or says why it cannot be.

What lies outside the edited place keeps its bytes, its level and its path. That is checked where the edit is: from the
heading before it to the heading behind it, since at a heading no block is open.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from octavo.errors import Conflict, InvalidArgument
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.document import BlockKind, shown_path
from octavo.note_editing.blank_lines_and_line_endings import (
    before_blank_lines,
    content_lines,
    last_line,
    line_ending,
    placed,
)
from octavo.note_editing.heading_lines import DEEPEST, heading_line, heading_text
from octavo.note_editing.note_heading_outline import ROOT, NoteHeading, NoteOutline, headings, parents
from octavo.note_editing.spliced_text import ChangedRange, Spliced
from octavo.parsing.markdown.block_scanner import scan

FIRST, LAST = "first", "last"
Position = str | Sequence[str]
"""`first`, `last`, or the path of the child to come after."""

_BULLET = regex(r"([ \t]*+)([-+*])(?:[ \t]|\Z)")
_NUMBER = regex(r"([ \t]*+)[0-9]{1,9}([.)])(?:[ \t]|\Z)")
_RULE = regex(r"[ \t]*+([-*])[ \t]*+(?:\1[ \t]*+){2,}\Z")


@dataclass(frozen=True, slots=True)
class EditedText:
    """A new text, whole or as what it puts into the old one, and where in it the section is that was edited."""

    new: str | Spliced
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.new if isinstance(self.new, str) else self.new.text

    @property
    def differences(self) -> Sequence[ChangedRange] | None:
        """Where the bytes differ, if that is known without comparing them."""
        return None if isinstance(self.new, str) else self.new.differences

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line of the section, from 1; blank lines at its end are left out."""
        first = self.text.count("\n", 0, self.start) + 1
        return first, first + self.text[self.start : self.end].rstrip(" \t\r\n").count("\n")


def position_of(given: str | Mapping[str, Any]) -> Position:
    """Where a section is to be inserted, from what a caller gave."""
    if isinstance(given, str) and given.lstrip().startswith("{"):
        with suppress(ValueError):  # as a command line, and some models, write an object
            given = json.loads(given)
    if isinstance(given, str):
        if given in (FIRST, LAST):
            return given
    elif isinstance(given, Mapping) and given.keys() == {"after"}:
        path = given["after"]
        if isinstance(path, list | tuple) and path and all(isinstance(text, str) for text in path):
            return tuple(path)
    raise InvalidArgument(
        f"{str(given)[:100]!r} is no position", hint='give "first", "last" or {"after": [the path of a child]}'
    )


def insert(
    outline: NoteOutline, parent: Sequence[str], heading: str, content: str, level: int | None, position: Position
) -> EditedText:
    """A new section below `parent`."""
    text = check_new_section(heading, level)
    number = outline.find(parent)
    depth = outline.level(number) + 1 if level is None else level
    if depth <= outline.level(number):
        raise InvalidArgument(
            f"level {depth} is not below {_called(parent)}, which has level {outline.level(number)}",
            hint="give a higher level, or leave it out",
        )
    if depth > DEEPEST:
        raise InvalidArgument(f"{_called(parent)} has level {DEEPEST}: nothing can be below it")
    place = _place(outline, number, parent, position)
    if any(outline.headings[child].named(text) for child in outline.children(number)):
        raise Conflict(
            f"{_called(parent)} has a section {text!r} already", hint="replace it, append to it, or choose another name"
        )
    block = without_own_heading(content_lines(content), depth, text)
    line = heading_line(depth, text)
    whole = f"{line}\n\n{block}" if block else line
    start = before_blank_lines(outline.text, place, outline.floor)
    new, at = placed(outline.text, start, place, whole, floor=outline.floor)
    added = _added(outline, start, place, new)
    if not added or added[0][:2] != (depth, at) or added[0].text != text:
        raise InvalidArgument(
            f"a section of level {depth} cannot be put there: the text before it has an open fence or comment",
            hint="close it first",
        )
    _refuse_shallow(added[1:], depth, text)
    _refuse_adoption(outline, place, added, {0: number})
    return EditedText(new, at, len(new) - (len(outline.text) - place))


def replace(outline: NoteOutline, path: Sequence[str], content: str) -> EditedText:
    """Another body for a section; its heading and its children stay."""
    number = _section(outline, path)
    section = outline.headings[number]
    block = without_own_heading(content_lines(content), section.level, section.text)
    return _with_body(outline, number, section.end, block)


def append(outline: NoteOutline, path: Sequence[str], content: str) -> EditedText:
    """A new block at the end of a section's body."""
    block = content_lines(content)
    if not block:
        raise InvalidArgument("there is nothing to append", hint="give it a text")
    number = _section(outline, path)
    start = before_blank_lines(outline.text, outline.body_end(number), outline.headings[number].end)
    close = start > outline.headings[number].end and _continues(outline, number, start, block.split("\n", 1)[0])
    return _with_body(outline, number, start, block, close=close)


def append_to_end(outline: NoteOutline, content: str) -> EditedText:
    """A new block at the end of a file, in its last section if it has any."""
    block = content_lines(content)
    if not block:
        raise InvalidArgument("there is nothing to append", hint="give it a text")
    last = len(outline.headings) - 1
    text, floor = outline.text, outline.headings[last].end if last >= 0 else outline.start
    start = before_blank_lines(text, len(text), floor)
    close = start > floor and _continues(outline, last, start, block.split("\n", 1)[0])
    new, at = placed(text, start, len(text), block, floor=outline.floor, close=close)
    _added(outline, start, len(text), new)
    return EditedText(new, at, len(new))


def same_start(outline: NoteOutline, new: str | Spliced) -> bool:
    """Whether front matter is what it was: a rule in new text can make some of what a file begins with."""
    start, text = outline.start, outline.text
    unfinished = outline.floor < start == len(text) and not text.endswith("\n")
    return outline.starts_as(new) == start + (len(line_ending(text)) if unfinished else 0)


def check_new_section(heading: str, level: int | None) -> str:
    """The text of a new section's heading."""
    if level is not None and not 1 <= level <= DEEPEST:
        raise InvalidArgument(f"there is no heading of level {level}", hint=f"levels are 1 to {DEEPEST}")
    return heading_text(heading)


def check_section_path(path: Sequence[str]) -> None:
    """Refuses the root where a section is needed."""
    if not path:
        raise InvalidArgument("the heading path is empty", hint="give the heading texts from the root to the section")


def without_own_heading(block: str, level: int, text: str) -> str:
    """Content without a first heading that repeats the section's own."""
    first = next(iter(headings(block + "\n")), None) if block else None
    if first is None or first.start > 0 or (first.level, first.text) != (level, text):
        return block
    return content_lines(block[first.end :])


def _section(outline: NoteOutline, path: Sequence[str]) -> int:
    check_section_path(path)
    return outline.find(path)


def _with_body(outline: NoteOutline, number: int, start: int, block: str, *, close: bool = False) -> EditedText:
    section, end = outline.headings[number], outline.body_end(number)
    new, _ = placed(outline.text, start, end, block, floor=outline.floor, close=close)
    added = _added(outline, start, end, new)
    _refuse_shallow(added, section.level, section.text)
    _refuse_adoption(outline, end, added)
    return EditedText(new, section.start, len(new) - (len(outline.text) - end))


def _place(outline: NoteOutline, number: int, parent: Sequence[str], position: Position) -> int:
    if position == LAST:
        return outline.section_end(number)
    if position == FIRST:
        children = outline.children(number)
        return outline.headings[children[0]].start if children else outline.section_end(number)
    child = outline.find(position)
    if outline.parents[child] != number:
        raise InvalidArgument(
            f"{shown_path(tuple(position))} is not a child of {_called(parent)}", hint="name one of its children"
        )
    return outline.section_end(child)


def _called(path: Sequence[str]) -> str:
    return shown_path(tuple(path)) or "the root"


def _added(outline: NoteOutline, start: int, end: int, new: Spliced) -> list[NoteHeading]:
    """The headings that an edit of `start` to `end` added; every other is checked to be where it was."""
    added = headings_between(outline, new, outline.first_at(start) - 1, outline.first_at(end), closed=True)
    if added is None or not same_start(outline, new) or any(heading.start < start for heading in added):
        raise InvalidArgument(
            "the text would take headings that follow it, or become part of what precedes it",
            hint="close every fence and comment, and begin with a line that stands by itself",
        )
    return added


def headings_between(
    outline: NoteOutline, new: Spliced, before: int, behind: int, *, closed: bool = False
) -> list[NoteHeading] | None:
    """The headings of a new text between two of the old one, `ROOT` being its start and their number its end; None if
    one of the two is not what and where it was, or where the text is to be `closed` and ends in an open block.

    So only what was edited needs to be read again: at a heading no block is open.
    """
    anchor = outline.starts_as(new) if before == ROOT else new.place(outline.headings[before].start)
    first = [] if before == ROOT else [_place_of(outline.headings[before], new)]
    last: list[tuple[int, int, str]] = []
    if behind < len(outline.headings):
        following = outline.headings[behind]
        last = [_place_of(following, new)]
        part = new.part(anchor, new.place(following.start) + following.end - following.start)
    else:
        part = new.part(anchor, len(new))
        if closed:  # only an open fence, comment or HTML block can hide a heading that would follow
            last, part = [(1, len(new) + 1, "x")], f"{part}\n# x\n"
    shifted = [heading._replace(start=heading.start + anchor, end=heading.end + anchor) for heading in headings(part)]
    inner = shifted[len(first) : len(shifted) - len(last)]
    places = [(heading.level, heading.start, heading.text) for heading in shifted]
    same = places[: len(first)] == first and places[len(first) + len(inner) :] == last
    return inner if same else None


def _place_of(heading: NoteHeading, new: Spliced) -> tuple[int, int, str]:
    """A heading without where its lines end: at the end of a file without a final line ending, one is added."""
    return heading.level, new.place(heading.start), heading.text


def _refuse_shallow(added: Sequence[NoteHeading], level: int, text: str) -> None:
    for heading in added:
        if heading.level <= level:
            raise InvalidArgument(
                f"the heading {heading.text!r} of level {heading.level} is not below {text!r}, which has level {level}",
                hint=f"headings in the new text need more than {level} #",
            )


def _refuse_adoption(
    outline: NoteOutline, end: int, added: Sequence[NoteHeading], wanted: Mapping[int, int] | None = None
) -> None:
    """Every old heading keeps its parent; of new ones, those in `wanted` have the parent it says."""
    if not added:
        return
    behind, count = outline.first_at(end), len(added)
    old = [heading.level for heading in outline.headings]
    levels = [*old[:behind], *(heading.level for heading in added), *old[behind:]]
    actual = parents(levels)
    kept = [parent + count if parent >= behind else parent for parent in outline.parents[behind:]]
    landed = all(actual[behind + number] == parent for number, parent in (wanted or {}).items())
    if not landed or actual[behind + count :] != kept:
        reason = "would take in sections that follow it" if landed else "would not lie below its parent there"
        raise InvalidArgument(f"a heading of level {added[0].level} {reason}", hint="give another level or position")


def _continues(outline: NoteOutline, number: int, end: int, first: str) -> bool:
    """Whether content follows the body's last line without a blank one: in the same list, or in the same table."""
    line = last_line(outline.text, end)
    if line.startswith("|") and first.startswith("|"):
        return True
    mark = _item(line)
    if mark is None or mark != _item(first):
        return False
    # In code or in a comment, a line that looks like an item is none.
    begin = outline.start if number == ROOT else outline.headings[number].end
    source = outline.text[begin:end].replace("\r\n", " \n")
    blocks = scan(source).blocks
    return bool(blocks) and blocks[-1].kind is BlockKind.ITEM


def _item(line: str) -> tuple[int, str] | None:
    """A list item's indentation and its bullet or delimiter."""
    mark = _BULLET.match(line) or _NUMBER.match(line)
    if mark is None or _RULE.match(line):
        return None
    return len(mark[1].expandtabs(4)), mark[2]
