"""A section moved below another parent, its headings shifted with it."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.errors import Conflict, InvalidArgument
from octavo.model.document import shown_path
from octavo.writing.edit import Edit, same_start
from octavo.writing.headings import DEEPEST, at_level, is_atx
from octavo.writing.outline import Outline
from octavo.writing.spacing import before_blank_lines, is_blank, last_line, line_ending


def move(document: Outline, source: Sequence[str], target: Sequence[str]) -> Edit:
    """The section becomes the last child of the new parent; already there, nothing changes."""
    section = document.find(source)
    parent = document.find(target)
    inside = range(section, document.after(section))
    if parent in inside:
        raise InvalidArgument(
            f"{shown_path(tuple(source))} cannot be moved below itself", hint="name a parent outside of it"
        )
    siblings = document.children(parent)
    heading = document.headings[section]
    if siblings and siblings[-1] == section:
        return Edit(document.text, heading.start, document.section_end(section))
    shift = document.level(parent) + 1 - heading.level
    if max(document.headings[number].level for number in inside) + shift > DEEPEST:
        raise InvalidArgument(
            f"{shown_path(tuple(source))} would have a heading below level {DEEPEST} there",
            hint="choose a parent higher up",
        )
    if any(child != section and document.headings[child].named(heading.text) for child in siblings):
        raise Conflict(
            f"{shown_path(tuple(target)) or 'the root'} has a section {heading.text!r} already",
            hint="rename one of them first",
        )
    moved = _shifted(document, section, shift)
    edit = _put(document, section, document.section_end(parent), moved)
    _check(document, section, parent, shift, edit.text)
    return edit


def _shifted(document: Outline, section: int, shift: int) -> str:
    """The section's own text at its new levels, without the blank lines that end it, ending with a line ending."""
    text, ending = document.text, line_ending(document.text)
    end = before_blank_lines(text, document.section_end(section), document.headings[section].end)
    pieces: list[str] = []
    done = document.headings[section].start
    for number in range(section, document.after(section)):
        heading = document.headings[number]
        pieces += (text[done : heading.start], at_level(document, heading, heading.level + shift, ending))
        done = heading.end
    moved = "".join((*pieces, text[done:end]))
    return moved if moved.endswith("\n") else moved + ending


def _put(document: Outline, section: int, place: int, moved: str) -> Edit:
    text, ending = document.text, line_ending(document.text)
    start, end = document.headings[section].start, document.section_end(section)
    behind_cut = document.after(section)
    gap = ""
    if start > document.floor and behind_cut < len(document.headings):
        # What precedes the cut would become part of a setext heading that comes to follow it directly.
        following = document.headings[behind_cut]
        setext = not is_atx(text[following.start : following.end])
        gap = ending if setext and not is_blank(last_line(text, start)) else ""
    rest = text[:start] + gap + text[end:]
    at = place if place <= start else place - (end - start) + len(gap)
    if place in (start, end):
        rest, at = text[:start] + text[end:], start
    if end == len(text) and at < start:
        kept = before_blank_lines(rest, len(rest), document.floor)
        rest = rest[:kept] if rest[:kept].endswith("\n") else rest[:kept] + ending
        at = min(at, len(rest))
    begin = before_blank_lines(rest, at, document.floor)
    before, after = rest[:begin], rest[at:]
    if begin > document.floor:
        before += ending if before.endswith("\n") else ending * 2
    new = before + moved + (ending if after else "") + after
    return Edit(new, len(before), len(before) + len(moved))


def _check(document: Outline, section: int, parent: int, shift: int, new: str) -> None:
    """Every other section keeps its level and its path."""
    behind = document.after(section)
    own = [(heading.level + shift, heading.text) for heading in document.headings[section:behind]]
    others = [
        (number, (heading.level, heading.text))
        for number, heading in enumerate(document.headings)
        if not section <= number < behind
    ]
    last = document.after(parent)
    expected = [place for number, place in others if number < last]
    expected += own
    expected += [place for number, place in others if number >= last]
    if (
        not same_start(document, new)
        or [(found.level, found.text) for found in document.again(new).headings] != expected
    ):
        raise InvalidArgument(
            "moving it would change other sections: it has an open fence or comment", hint="close it first"
        )
