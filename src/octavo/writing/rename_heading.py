"""A heading with another text; every other byte, level and path stays."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.algorithms.heading_attributes import attributes
from octavo.errors import Conflict, InvalidArgument
from octavo.writing.headings import heading_line, heading_text, renamed
from octavo.writing.note_outline import NoteOutline
from octavo.writing.section_edits import EditedText, check_section_path, headings_between, same_start
from octavo.writing.spacing import line_ending
from octavo.writing.text_splice import Splice, Spliced


def rename_heading(document: NoteOutline, path: Sequence[str], text: str) -> EditedText:
    """A sibling of that text is a conflict. What cannot stand above an underline becomes an ATX heading.

    An anchor that the heading gives itself stays, and with it the links that lead there.
    """
    check_section_path(path)
    text = heading_text(text)
    number = document.find(path)
    heading = document.headings[number]
    siblings = document.children(document.parents[number])
    if any(other != number and document.headings[other].named(text) for other in siblings):
        raise Conflict(f"there is a section {text!r} beside it already", hint="choose another name")
    if not attributes(text):
        text += heading.attributes
    ending = line_ending(document.text)
    whole = document.text[heading.start : heading.end]
    closing = ending if whole.endswith("\n") else ""
    for line in (
        renamed(document, heading, text, ending),
        heading_line(heading.level, text) + closing,
    ):
        new = Spliced(document.text, (Splice(heading.start, heading.end, line),))
        headings = headings_between(document, new, number - 1, number + 1)
        if same_start(document, new) and headings is not None and [h[::3] for h in headings] == [(heading.level, text)]:
            return EditedText(new, heading.start, new.place(document.section_end(number)))
    raise InvalidArgument(f"{text!r} cannot be a heading there", hint="choose another text")
