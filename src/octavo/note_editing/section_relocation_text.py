"""Moves a section below another heading of a note's text, and shifts the levels of its headings."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.errors import Conflict, InvalidArgument
from octavo.model.document import shown_path
from octavo.note_editing.blank_lines_and_line_endings import before_blank_lines, is_blank, last_line, line_ending
from octavo.note_editing.heading_lines import DEEPEST, at_level, is_atx
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.section_edits import EditedText, headings_between, same_start
from octavo.note_editing.spliced_text import Splice, Spliced


def move(document: NoteOutline, source: Sequence[str], target: Sequence[str]) -> EditedText:
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
        return EditedText(document.text, heading.start, document.section_end(section))
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
    new, start, end = _put(document, section, document.section_end(parent), _shifted(document, section, shift))
    _check(document, section, parent, shift, new)
    return EditedText(new, start, end)


def _shifted(document: NoteOutline, section: int, shift: int) -> str:
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


def _put(document: NoteOutline, section: int, place: int, moved: str) -> tuple[Spliced, int, int]:
    text, ending = document.text, line_ending(document.text)
    start, end = document.headings[section].start, document.section_end(section)
    stays = place in (start, end)  # where it stands, only at other levels
    begin = before_blank_lines(text, start if stays else place, document.floor)
    above = ""
    if begin > document.floor:
        above = ending if text.endswith("\n", 0, begin) else ending * 2
    behind = end if stays else place
    below = ending if behind < len(text) else ""
    put = Splice(begin, behind, above + moved + below)
    cut = None if stays else _cut(document, section, place)
    new = Spliced(text, (put,) if cut is None else tuple(sorted((put, cut))))
    at = begin + len(above) + (cut.growth if cut is not None and cut.start < begin else 0)
    return new, at, at + len(moved)


def _cut(document: NoteOutline, section: int, place: int) -> Splice:
    text, following = document.text, document.after(section)
    start, end = document.headings[section].start, document.section_end(section)
    if end == len(text) and place < start:
        return Splice(before_blank_lines(text, start, document.floor), end, "")
    if start == document.floor or following == len(document.headings):
        return Splice(start, end, "")
    # What precedes the cut would become part of a setext heading that comes to follow it directly.
    heading = document.headings[following]
    setext = not is_atx(text[heading.start : heading.end])
    return Splice(start, end, line_ending(text) if setext and not is_blank(last_line(text, start)) else "")


def _check(document: NoteOutline, section: int, parent: int, shift: int, new: Spliced) -> None:
    """Every other section keeps its level and its path."""
    behind, last = document.after(section), document.after(parent)
    own = [(heading.level + shift, heading.text) for heading in document.headings[section:behind]]
    before = section - 1 if last == behind else last - 1
    following = behind if last == section else last
    places = [(before, following, own)]
    if last not in (section, behind):
        places.append((section - 1, behind, []))
    for first, final, expected in places:
        headings = headings_between(document, new, first, final)
        if headings is None or [(heading.level, heading.text) for heading in headings] != expected:
            break
    else:
        if same_start(document, new):
            return
    raise InvalidArgument(
        "moving it would change other sections: it has an open fence or comment", hint="close it first"
    )
