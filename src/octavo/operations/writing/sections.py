"""The seven operations on the sections of a note. Arguments are checked first, then the uri, the file, its hash, and
last the headings."""

from __future__ import annotations

from dataclasses import asdict

from octavo.engine.engine import Engine
from octavo.errors import Conflict, InvalidArgument
from octavo.operations.writing.answers import AutoFixAnswer, ValidateAnswer, WriteAnswer
from octavo.operations.writing.notes import NoteChange, change, locked, note_in, present, put, refuse_unwritable
from octavo.operations.writing.requests import (
    DocAppendToSectionRequest,
    DocAutoFixRequest,
    DocCreateRequest,
    DocInsertSectionRequest,
    DocReplaceSectionRequest,
    DocValidateRequest,
)
from octavo.writing.create import from_template, new_note
from octavo.writing.edit import EditedText, append, check_new_section, check_section_path, insert, position_of, replace
from octavo.writing.files import encoded, refuse_changed, refuse_no_place
from octavo.writing.headings import one_line
from octavo.writing.hiding import hidden
from octavo.writing.outline import NoteOutline
from octavo.writing.spacing import content_lines
from octavo.writing.validate import violations, without_jumps


def doc_validate(engine: Engine, request: DocValidateRequest) -> ValidateAnswer:
    note = note_in(engine, request.uri, request.collection)
    file = present(engine, note)
    found = violations(NoteOutline(file.text), single_h1=engine.library.config.writing.single_h1)
    return ValidateAnswer(note.collection.name, note.uri, file.hash, not found, hidden(note.collection, found))


def doc_auto_fix(engine: Engine, request: DocAutoFixRequest) -> AutoFixAnswer:
    note = note_in(engine, request.uri, request.collection)
    refuse_unwritable(engine, note.collection)
    fixed: list[NoteOutline] = []

    def edit(document: NoteOutline) -> EditedText:
        fixed.append(NoteOutline(without_jumps(document)))
        return EditedText(fixed[0].text, 0, len(fixed[0].text))

    answer = change(engine, note, request, "doc_auto_fix", edit)
    remaining = violations(fixed[0], single_h1=engine.library.config.writing.single_h1)
    return AutoFixAnswer(**asdict(answer), violations=hidden(note.collection, remaining))


def doc_create(engine: Engine, request: DocCreateRequest) -> WriteAnswer:
    title = one_line(request.title, "title")
    content = request.content_md or ""
    note = note_in(engine, request.uri, request.collection, new=True)
    template = note_in(engine, request.template, note.collection.name) if request.template is not None else None
    refuse_unwritable(engine, note.collection)
    with locked(engine, note.collection):
        text = from_template(present(engine, template).text, title, content) if template else new_note(title, content)
        refuse_no_place(note.path, note.uri)
        file = present(engine, note) if note.path.exists() else None
        if file is not None and not request.overwrite:
            raise Conflict(f"there is a file {note.uri} already", hint="edit it, or pass overwrite to replace it whole")
        refuse_changed(file, request.expected_hash, note.uri)
        written = NoteChange(file, encoded(text))
        written.refuse_marks(note)
        return put(engine, note, request, "doc_create", written)


def doc_insert_section(engine: Engine, request: DocInsertSectionRequest) -> WriteAnswer:
    check_new_section(request.heading, request.level)
    position = position_of(request.position)
    note = note_in(engine, request.uri, request.collection)
    refuse_unwritable(engine, note.collection)

    def edit(document: NoteOutline) -> EditedText:
        parent, heading = request.parent_heading_path, request.heading
        return insert(document, parent, heading, request.content_md, request.level, position)

    return change(engine, note, request, "doc_insert_section", edit)


def doc_replace_section(engine: Engine, request: DocReplaceSectionRequest) -> WriteAnswer:
    check_section_path(request.heading_path)
    note = note_in(engine, request.uri, request.collection)
    refuse_unwritable(engine, note.collection)
    return change(
        engine,
        note,
        request,
        "doc_replace_section",
        lambda document: replace(document, request.heading_path, request.content_md),
    )


def doc_append_to_section(engine: Engine, request: DocAppendToSectionRequest) -> WriteAnswer:
    check_section_path(request.heading_path)
    if not content_lines(request.content_md):
        raise InvalidArgument("there is nothing to append", hint="give the text as content_md")
    note = note_in(engine, request.uri, request.collection)
    refuse_unwritable(engine, note.collection)
    return change(
        engine,
        note,
        request,
        "doc_append_to_section",
        lambda document: append(document, request.heading_path, request.content_md),
    )
