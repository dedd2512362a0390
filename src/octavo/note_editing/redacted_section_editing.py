"""A section as an edit box shows it: without keys and tokens, which a change of the lines around them leaves alone."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.fast_dataclass import dataclass
from octavo.note_editing.note_change_transaction import NoteFile, WriteAnswer, WriteTerms
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.note_redaction import hiding, shown_text, with_keys
from octavo.note_editing.project_notes import ProjectNotes
from octavo.note_editing.section_edits import EditedText, check_section_path, replace


@dataclass(frozen=True, slots=True)
class SectionText:
    """What stands between a heading and the next one, redacted; `hash` is of the whole file."""

    text: str
    hash: str


def section_text(notes: ProjectNotes, uri: str, collection: str, path: Sequence[str]) -> SectionText:
    """The section as it is on disk, whether or not that is indexed already."""
    note = notes.find(uri, collection)
    file = notes.read(note)
    with hiding(note.collection):
        return SectionText(_body(note, NoteOutline(file.text), path)[1], file.hash)


def replace_shown_section(
    notes: ProjectNotes, note: NoteFile, path: Sequence[str], content: str, terms: WriteTerms
) -> WriteAnswer:
    """Replaces a section's body with content that was made from `section_text`."""
    check_section_path(path)

    def edit(document: NoteOutline) -> EditedText:
        body, shown = _body(note, document, path)
        return replace(document, path, with_keys(content, body, shown))

    return notes.change(note, terms, "doc_replace_section", edit)


def _body(note: NoteFile, document: NoteOutline, path: Sequence[str]) -> tuple[str, str]:
    """A section's lines as they are and as they are shown. Keys are looked for in the whole file, as everywhere."""
    number = document.find(path)
    start, end = document.headings[number].end, document.body_end(number)
    before, body = (document.text[a:b].replace("\r\n", "\n") for a, b in ((0, start), (start, end)))
    after = document.text[end:].replace("\r\n", "\n")
    shown = shown_text(note.collection, before + body + after)[len(before) : len(before) + len(body)]
    return body.strip("\n"), shown.strip("\n")
