"""A section as an edit box shows it: without keys and tokens, which a change of the lines around them leaves alone."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.dataclass import dataclass
from octavo.engine.engine import Engine
from octavo.operations.writing.answers import WriteAnswer
from octavo.operations.writing.notes import NoteFile, change, note_in, present, refuse_unwritable
from octavo.operations.writing.requests import DocReplaceSectionRequest
from octavo.writing.edit import EditedText, check_section_path, replace
from octavo.writing.hiding import hiding, shown_text, with_keys
from octavo.writing.outline import NoteOutline


@dataclass(frozen=True, slots=True)
class SectionText:
    """What stands between a heading and the next one, redacted; `hash` is of the whole file."""

    text: str
    hash: str


def section_text(engine: Engine, uri: str, collection: str, path: Sequence[str]) -> SectionText:
    """The section as it is on disk, whether or not that is indexed already."""
    note = note_in(engine, uri, collection)
    file = present(engine, note)
    with hiding(note.collection):
        return SectionText(_body(note, NoteOutline(file.text), path)[1], file.hash)


def replace_shown_section(engine: Engine, request: DocReplaceSectionRequest) -> WriteAnswer:
    """`doc_replace_section` with content that was made from `section_text`."""
    check_section_path(request.heading_path)
    note = note_in(engine, request.uri, request.collection)
    refuse_unwritable(engine, note.collection)

    def edit(document: NoteOutline) -> EditedText:
        body, shown = _body(note, document, request.heading_path)
        return replace(document, request.heading_path, with_keys(request.content_md, body, shown))

    return change(engine, note, request, "doc_replace_section", edit)


def _body(note: NoteFile, document: NoteOutline, path: Sequence[str]) -> tuple[str, str]:
    """A section's lines as they are and as they are shown. Keys are looked for in the whole file, as everywhere."""
    number = document.find(path)
    start, end = document.headings[number].end, document.body_end(number)
    before, body = (document.text[a:b].replace("\r\n", "\n") for a, b in ((0, start), (start, end)))
    after = document.text[end:].replace("\r\n", "\n")
    shown = shown_text(note.collection, before + body + after)[len(before) : len(before) + len(body)]
    return body.strip("\n"), shown.strip("\n")
