"""Names and places that change, and the links that follow: listed in a dry run, written when asked, all or nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from octavo.dataclass import dataclass
from octavo.engine.engine import Engine
from octavo.errors import Conflict, InvalidArgument, StorageError
from octavo.operations.writing.answers import LinkedWriteAnswer
from octavo.operations.writing.collection_notes import collection_notes
from octavo.operations.writing.notes import (
    Note,
    Written,
    answered,
    indexed,
    locked,
    note_in,
    path_in,
    present,
    recorded,
    refuse_left_out,
    refuse_unwritable,
)
from octavo.operations.writing.requests import DocMoveSectionRequest, DocRenameRequest
from octavo.writing.edit import Edit, check_section_path
from octavo.writing.files import (
    File,
    encoded,
    located,
    overwrite_all,
    refuse_changed,
    refuse_generated,
    refuse_irreplaceable,
    refuse_no_place,
)
from octavo.writing.headings import heading_text
from octavo.writing.hiding import hidden, hiding
from octavo.writing.journal import Journal, Renamed, all_or_nothing
from octavo.writing.linked_notes import LinkedNotes, link_names, mentions, parsed_note
from octavo.writing.links import Followed, LinkChange, follow, same_sections
from octavo.writing.move import move
from octavo.writing.outline import Outline, file_outline
from octavo.writing.rename import rename_heading
from octavo.writing.system_renames import rename_new

_Request = DocMoveSectionRequest | DocRenameRequest


@dataclass(frozen=True, slots=True)
class _Change:
    """A note's new text, what tells the order that its headings have then, and with `to` its file's new place."""

    edit: Edit
    order: Callable[[], Sequence[int]]
    to: Note | None = None


@dataclass(frozen=True, slots=True)
class _File:
    """A note's file as it was read, and what it becomes."""

    note: Note
    old: File
    written: Written


@dataclass(frozen=True, slots=True)
class _Linked:
    """Every file that may change, the note's own before the others, and the links that follow in them."""

    files: Sequence[_File]
    links: tuple[LinkChange, ...] = ()


def doc_move_section(engine: Engine, request: DocMoveSectionRequest) -> LinkedWriteAnswer:
    check_section_path(request.from_heading_path)
    note = note_in(engine, request.uri, request.collection)
    refuse_unwritable(engine, note.collection)
    source, target = request.from_heading_path, request.to_parent_heading_path

    def change(document: Outline) -> _Change:
        edit = move(document, source, target)

        def order() -> Sequence[int]:
            section, parent = document.find(source), document.find(target)
            moved = (section, document.after(section), document.after(parent))
            return same_sections(document, moved if edit.text != document.text else None)

        return _Change(edit, order)

    return _changed(engine, note, request, "doc_move_section", change)


def doc_rename(engine: Engine, request: DocRenameRequest) -> LinkedWriteAnswer:
    if (request.to is None) == (request.heading is None) or bool(request.heading_path) != (request.heading is not None):
        raise InvalidArgument(
            "a rename needs either the file's new path, or a section and its new heading",
            hint="give `to`, or `heading_path` and `heading`",
        )
    if request.heading is not None:
        heading_text(request.heading)
    note = note_in(engine, request.uri, request.collection)
    refuse_unwritable(engine, note.collection)
    to = request.to
    target = None if to is None else Note(note.collection, to, located(note.collection.root, to))
    if target is not None and (note.collection.root / note.uri).is_symlink():
        raise InvalidArgument(f"{note.uri} is a link", hint="rename the file that it leads to")

    def change(document: Outline) -> _Change:
        if target is None:
            edit = rename_heading(document, request.heading_path, request.heading or "")
            return _Change(edit, lambda: same_sections(document))
        refuse_left_out(engine, target, new=True)
        _refuse_taken(note, target)
        return _Change(Edit(document.text, 0, len(document.text)), lambda: same_sections(document), target)

    return _changed(engine, note, request, "doc_rename", change)


def _refuse_taken(note: Note, target: Note) -> None:
    refuse_no_place(target.path, target.uri)
    if os.path.lexists(target.path) and not _other_spelling(note.path, target.path):
        raise Conflict(f"there is a file {target.uri} already", hint="choose another name")


def _other_spelling(source: Path, target: Path) -> bool:
    """Whether a disk that ignores case, or how letters are composed, takes both for the name of one file."""
    if source == target or not target.exists() or not target.samefile(source):
        return False
    return source.stat().st_nlink == 1  # else the other may be a hard link to it: a name of its own


def _changed(
    engine: Engine, note: Note, request: _Request, operation: str, change: Callable[[Outline], _Change]
) -> LinkedWriteAnswer:
    with locked(engine, note.collection) as journal, hiding(note.collection):
        file = present(engine, note)
        linked = request.dry_run or request.update_links
        document = file_outline(file)
        refuse_generated(document.text, note.uri)
        refuse_changed(file, request.expected_hash, note.uri)
        made = change(document)
        plain = Written(file, made.edit.content(document, file.content), made.edit.differences(document))
        following = _Linked([_File(note, file, plain)])
        if linked and (made.to or plain.changed):
            following = _with_links(engine, note, file, plain, made, update=request.update_links)
        changing = [changed for changed in following.files if changed.written.changed]
        for changed in changing:
            refuse_irreplaceable(changed.old)
            changed.written.refuse_marks(changed.note)
        if not request.dry_run:
            _put(journal, note, made.to, changing)
            for changed in changing:
                placed = made.to if made.to is not None and changed.note is note else changed.note
                recorded(engine, placed, request, operation, changed.written)
            _reindex(engine, note, made.to, changing)
    own = following.files[0].written
    answer = answered(engine, made.to or note, request, own, made.edit)  # a link that follows adds no line
    facts = asdict(answer) | {"changed": bool(changing) or made.to is not None}
    updated = request.update_links and bool(following.links)
    links = hidden(note.collection, following.links)
    return LinkedWriteAnswer(**facts, links=links, links_updated=updated)


def _with_links(engine: Engine, note: Note, file: File, plain: Written, made: _Change, *, update: bool) -> _Linked:
    """The links of the collection that follow; only notes that could have one are read as more than text.

    `plain` is the note's own file as the change makes it, its links left as they are.
    """
    uri, text, new_text = path_in(note), file.text, plain.content.decode("utf-8")
    new_uri = path_in(made.to) if made.to is not None else uri
    names = link_names(uri, parsed_note(uri, text)) | link_names(new_uri)
    linked = collection_notes(
        engine, note.collection, parse=lambda name, content: name == uri or mentions(content, names)
    ).linked
    before = LinkedNotes({**linked.texts, uri: text}, linked.others, linked.elsewhere, linked.parsed)
    texts = {name: content for name, content in before.texts.items() if name != uri} | {new_uri: new_text}
    parsed = {name: found for name, found in before.parsed.items() if name != uri}
    after = LinkedNotes(texts, [other for other in before.others if other != uri], before.elsewhere, parsed)
    sections = {} if made.to is not None else {uri: _section_starts(before, after, uri, made.order())}
    after.document(new_uri)
    found = follow(before, after, renamed={uri: new_uri} if made.to is not None else {}, sections=sections)
    return _files(engine, note, file, plain, found if update else Followed({}, found.changes), new_uri)


def _section_starts(before: LinkedNotes, after: LinkedNotes, uri: str, order: Sequence[int]) -> Mapping[int, int]:
    """Where each section of a note begins before the change, and where after it."""
    old = [section.span.start for section in before.document(uri).sections if section.level]
    new = [section.span.start for section in after.document(uri).sections if section.level]
    if not len(old) == len(new) == len(order):
        return {}
    return {old[number]: new[place] for place, number in enumerate(order)}


def _files(engine: Engine, note: Note, file: File, plain: Written, found: Followed, own: str) -> _Linked:
    written = Written(file, encoded(found.texts[own])) if own in found.texts else plain
    files = [_File(note, file, written)]
    for uri, text in found.texts.items():
        if uri == own:
            continue
        where = Note(note.collection, uri, located(note.collection.root, uri))
        old = present(engine, where)
        refuse_generated(old.text, uri)
        files.append(_File(where, old, Written(old, encoded(text))))
    return _Linked(files, found.changes)


def _put(journal: Journal, note: Note, to: Note | None, changing: Sequence[_File]) -> None:
    """Gives the renamed file its name and writes every file; what fails, or is killed, takes all of it back."""
    if to is None:
        changes = [(changed.old, changed.written.content) for changed in changing]
        if len(changes) == 1:
            overwrite_all(changes)
        elif changes:
            with all_or_nothing(journal, changes, None):
                overwrite_all(changes)
        return
    missing = [folder for folder in to.path.parents if not folder.exists()]
    changes = [
        (replace(changed.old, path=to.path) if changed.note is note else changed.old, changed.written.content)
        for changed in changing
    ]
    try:
        with all_or_nothing(journal, changes, Renamed(note.path, to.path, missing)):
            to.path.parent.mkdir(parents=True, exist_ok=True)
            _rename(note.path, to.path)
            if changes:
                overwrite_all(changes)
    except FileExistsError:
        raise Conflict(f"{to.uri} was made meanwhile", hint="choose another name; nothing changed") from None
    except OSError as error:
        raise StorageError(f"{note.uri} could not be renamed: {error.strerror}", hint="nothing changed") from error


def _rename(source: Path, target: Path) -> None:
    if _other_spelling(source, target):
        source.rename(target)  # the name is its own: the disk takes both spellings for one
    else:
        rename_new(source, target)


def _reindex(engine: Engine, note: Note, to: Note | None, changing: Sequence[_File]) -> None:
    """What `answered` does not take in: the other notes, and the name that is gone."""
    paths = [path_in(changed.note) for changed in changing if changed.note is not note]
    if to is not None:
        paths += [note.path.relative_to(os.path.realpath(note.collection.root)).as_posix(), path_in(to)]
    if paths:
        indexed(engine, note.collection, paths)
