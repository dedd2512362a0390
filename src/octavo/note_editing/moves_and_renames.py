"""Renames and moves of notes and sections, with the links to them: listed in a dry run, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Protocol

from octavo.algorithms.markdown.heading_attributes import attributes
from octavo.errors import Conflict, InvalidArgument
from octavo.fast_dataclass import dataclass, replace
from octavo.note_editing.blank_lines_and_line_endings import line_ending
from octavo.note_editing.collection_notes_reading import collection_notes
from octavo.note_editing.heading_lines import heading_line, heading_text, renamed
from octavo.note_editing.link_rewriting import Followed, LinkChange, follow, same_sections
from octavo.note_editing.note_change_transaction import (
    FileChange,
    LinkedWriteAnswer,
    NoteChange,
    NoteFile,
    WriteTerms,
    refuse_taken,
    write_all,
)
from octavo.note_editing.note_files import (
    File,
    encoded,
    located,
    refuse_changed,
    refuse_generated,
    refuse_irreplaceable,
)
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.note_link_resolution import LinkedNotes, link_names, mentions, parsed_note
from octavo.note_editing.note_redaction import hidden, hiding
from octavo.note_editing.project_notes import ProjectNotes
from octavo.note_editing.section_edits import EditedText, check_section_path, headings_between, same_start
from octavo.note_editing.section_relocation_text import move
from octavo.note_editing.spliced_text import Splice, Spliced


class LinkTerms(WriteTerms, Protocol):
    """With `update_links`, links of the collection that would lead nowhere are written anew."""

    @property
    def update_links(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class _Change:
    """A note's new text, what tells the order that its headings have then, and with `to` its file's new place."""

    edit: EditedText
    order: Callable[[], Sequence[int]]
    to: NoteFile | None = None


@dataclass(frozen=True, slots=True)
class _Linked:
    """Every file that may change, the note's own before the others, and the links that follow in them."""

    files: Sequence[FileChange]
    links: tuple[LinkChange, ...] = ()


def move_section(
    notes: ProjectNotes, note: NoteFile, source: Sequence[str], target: Sequence[str], terms: LinkTerms
) -> LinkedWriteAnswer:
    """A section becomes the last child of another."""

    def change(document: NoteOutline) -> _Change:
        edit = move(document, source, target)

        def order() -> Sequence[int]:
            section, parent = document.find(source), document.find(target)
            moved = (section, document.after(section), document.after(parent))
            return same_sections(document, moved if edit.text != document.text else None)

        return _Change(edit, order)

    return _changed(notes, note, terms, "doc_move_section", change)


def rename_section(
    notes: ProjectNotes, note: NoteFile, path: Sequence[str], heading: str, terms: LinkTerms
) -> LinkedWriteAnswer:
    def change(document: NoteOutline) -> _Change:
        return _Change(rename_heading(document, path, heading), lambda: same_sections(document))

    return _changed(notes, note, terms, "doc_rename", change)


def rename_file(notes: ProjectNotes, note: NoteFile, to: str, terms: LinkTerms) -> LinkedWriteAnswer:
    target = NoteFile(note.collection, to, located(note.collection.root, to))
    if (note.collection.root / note.uri).is_symlink():
        raise InvalidArgument(f"{note.uri} is a link", hint="rename the file that it leads to")

    def change(document: NoteOutline) -> _Change:
        notes.refuse_left_out(target, new=True)
        refuse_taken(note, target)
        return _Change(EditedText(document.text, 0, len(document.text)), lambda: same_sections(document), target)

    return _changed(notes, note, terms, "doc_rename", change)


def _changed(
    notes: ProjectNotes, note: NoteFile, terms: LinkTerms, operation: str, change: Callable[[NoteOutline], _Change]
) -> LinkedWriteAnswer:
    with notes.locked(note.collection) as journal, hiding(note.collection):
        file = notes.read(note)
        document, old_uri = NoteOutline(file.text), note.real_uri
        refuse_generated(document.text, note.uri)
        refuse_changed(file, terms.expected_hash, note.uri)
        made = change(document)
        plain = NoteChange(file, encoded(made.edit.text), made.edit.differences)
        following = _Linked([FileChange(note, file, plain, made.to)])
        if made.to or plain.changed:
            following = _with_links(notes, note, file, plain, made, update=terms.update_links)
        changing = [changed for changed in following.files if changed.happens]
        for changed in changing:
            if changed.written.changed:
                refuse_irreplaceable(changed.old)
                changed.written.refuse_marks(changed.note)
        if not terms.dry_run and changing:
            made_folders = write_all(journal, changing)
            notes.record(
                note.collection,
                terms,
                operation,
                {(changed.to or changed.note).real_uri: changed.written for changed in changing},
                {changed.to.real_uri: old_uri for changed in changing if changed.to},
                made_folders,
            )
            notes.index_others(note, changing)
    own = following.files[0].written
    answer = notes.answer(made.to or note, terms, own, made.edit)  # a link that follows adds no line
    facts = asdict(answer) | {"changed": bool(changing)}
    updated = terms.update_links and bool(following.links)
    links = hidden(note.collection, following.links)
    return LinkedWriteAnswer(**facts, links=links, links_updated=updated)


def _with_links(
    notes: ProjectNotes, note: NoteFile, file: File, plain: NoteChange, made: _Change, *, update: bool
) -> _Linked:
    """The links of the collection that follow; only notes that could have one are read as more than text.

    `plain` is the note's own file as the change makes it, its links left as they are.
    """
    uri, text, new_text = note.real_uri, file.text, plain.content.decode("utf-8")
    new_uri = made.to.real_uri if made.to is not None else uri
    names = link_names(uri, parsed_note(uri, text)) | link_names(new_uri)
    linked = collection_notes(
        notes, note.collection, parse=lambda name, content: name == uri or mentions(content, names)
    ).linked
    before = LinkedNotes({**linked.texts, uri: text}, linked.others, linked.elsewhere, linked.parsed)
    texts = {name: content for name, content in before.texts.items() if name != uri} | {new_uri: new_text}
    parsed = {name: note for name, note in before.parsed.items() if name != uri}
    after = LinkedNotes(texts, [other for other in before.others if other != uri], before.elsewhere, parsed)
    sections = {} if made.to is not None else {uri: _section_starts(before, after, uri, made.order())}
    after.document(new_uri)
    links = follow(before, after, renamed={uri: new_uri} if made.to is not None else {}, sections=sections)
    followed = links if update else Followed({}, links.changes)
    return _files(notes, FileChange(note, file, plain, made.to), followed, new_uri)


def _section_starts(before: LinkedNotes, after: LinkedNotes, uri: str, order: Sequence[int]) -> Mapping[int, int]:
    """Where each section of a note begins before the change, and where after it."""
    old = [section.span.start for section in before.document(uri).sections if section.level]
    new = [section.span.start for section in after.document(uri).sections if section.level]
    if not len(old) == len(new) == len(order):
        return {}
    return {old[number]: new[place] for place, number in enumerate(order)}


def _files(notes: ProjectNotes, change: FileChange, followed: Followed, own: str) -> _Linked:
    collection = change.note.collection
    if own in followed.texts:
        change = replace(change, written=NoteChange(change.old, encoded(followed.texts[own])))
    files = [change]
    for uri, text in followed.texts.items():
        if uri == own:
            continue
        where = NoteFile(collection, uri, located(collection.root, uri))
        old = notes.read(where)
        refuse_generated(old.text, uri)
        files.append(FileChange(where, old, NoteChange(old, encoded(text))))
    return _Linked(files, followed.changes)


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
    for line in (renamed(document, heading, text, ending), heading_line(heading.level, text) + closing):
        new = Spliced(document.text, (Splice(heading.start, heading.end, line),))
        headings = headings_between(document, new, number - 1, number + 1)
        if same_start(document, new) and headings is not None and [h[::3] for h in headings] == [(heading.level, text)]:
            return EditedText(new, heading.start, new.place(document.section_end(number)))
    raise InvalidArgument(f"{text!r} cannot be a heading there", hint="choose another text")
