"""Undoes the last operation on a note in all its files, or restores a version of it from the library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.fast_dataclass import replace
from octavo.model.ids import document_id
from octavo.model.normalised_text_and_spans import normalise
from octavo.model.note_write_record import UNDO, NoteWrite, Replaced
from octavo.note_editing.blank_lines_and_line_endings import line_ending
from octavo.note_editing.note_change_transaction import (
    FileChange,
    NoteChange,
    NoteFile,
    WriteAnswer,
    WriteTerms,
    refuse_taken,
    write_all,
)
from octavo.note_editing.note_files import File, digest, encoded, located, refuse_changed, refuse_irreplaceable
from octavo.note_editing.note_heading_outline import BOM
from octavo.note_editing.note_redaction import hiding, lacks_keys, shown_text
from octavo.note_editing.project_notes import ProjectNotes
from octavo.note_editing.spliced_text import ChangedRange
from octavo.path_resolution_and_private_folders import real_path


def restore_version(notes: ProjectNotes, note: NoteFile, version: int, terms: WriteTerms) -> WriteAnswer:
    """The note as it was in a version that the library has."""
    with notes.locked(note.collection), hiding(note.collection):
        file = notes.read(note) if note.path.exists() else None
        refuse_changed(file, terms.expected_hash, note.uri)
        content = _of_version(notes, note, version, file, _writes(notes, note))
        return notes.put(note, terms, "doc_restore", NoteChange(file, content))


def undo(notes: ProjectNotes, note: NoteFile, terms: WriteTerms) -> WriteAnswer:
    """Takes back the last operation that wrote the note, in every file that it wrote, or in none."""
    with notes.locked(note.collection) as journal, hiding(note.collection):
        file = notes.read(note)
        refuse_changed(file, terms.expected_hash, note.uri)
        write = _last_write(note, file, _writes(notes, note))
        others = [(uri, number) for uri, number in write.together if uri != note.real_uri]
        own = _taken_back(notes, note, file, write)
        undone = [own, *(_other_taken_back(notes, note, uri, number) for uri, number in others)]
        for change in undone:
            if change.written.changed:
                refuse_irreplaceable(change.old)
        if not terms.dry_run:
            files = {change.note.real_uri: change.written for change in undone}
            write_all(journal, undone)
            _remove_empty(note, write.made_folders)
            notes.record(note.collection, terms, UNDO, files)
            notes.index_others(note, undone)
        answer = notes.answer(own.to or note, terms, own.written)
    if len(undone) == 1 and own.to is None:
        return answer
    names = ", ".join((change.to or change.note).uri for change in undone)
    return replace(answer, changed=True, note=answer.note or f"{write.operation} is undone in {names}")


def _remove_empty(note: NoteFile, folders: Sequence[str]) -> None:
    """The folders that a rename made, which are deepest first, until one has something else in it."""
    root = real_path(note.collection.root)
    with suppress(OSError):
        for folder in (root / name for name in folders):
            if real_path(folder) == folder:  # none that has become a link
                folder.rmdir()


def _taken_back(notes: ProjectNotes, note: NoteFile, file: File, write: NoteWrite) -> FileChange:
    """A file as it was before a write, and where."""
    assert write.before is not None, "a file that was made is not taken back"
    known = _differences(write.before, len(file.content))
    written = NoteChange(file, write.before.within(file.content), known)
    if write.renamed_from is None:
        return FileChange(note, file, written)
    to = NoteFile(note.collection, write.renamed_from, located(note.collection.root, write.renamed_from))
    notes.refuse_left_out(to)
    refuse_taken(note, to, f"move or rename {to.uri} first; nothing changed")
    return FileChange(note, file, written, to)


def _other_taken_back(notes: ProjectNotes, note: NoteFile, uri: str, number: int) -> FileChange:
    other = NoteFile(note.collection, uri, located(note.collection.root, uri))
    if not other.path.is_file():
        raise Conflict(f"{uri} was written to by the same operation, and is gone", hint="put it back first")
    file = notes.read(other)
    write = _last_write(other, file, _writes(notes, other))
    if write.number != number:
        raise Conflict(f"{uri} was written to since, by {write.operation}", hint=f"undo that first: restore {uri}")
    return _taken_back(notes, other, file, write)


def _writes(notes: ProjectNotes, note: NoteFile) -> Sequence[NoteWrite]:
    return notes.library.store.note_writes.of(notes.library.project.id, note.collection.id, note.real_uri)


def _last_write(note: NoteFile, file: File, writes: Sequence[NoteWrite]) -> NoteWrite:
    """The last write that was not taken back yet."""
    undone = 0
    for write in reversed(writes):
        if write.operation == UNDO:
            undone += 1
        elif undone:
            undone -= 1
        elif write.hash != digest(file.content):
            raise Conflict(
                f"{note.uri} changed since it was written to by {write.operation}",
                hint="`octavo history` lists versions; restore one of them with --version",
            )
        elif write.before is None:
            raise InvalidArgument(f"{note.uri} was made by that write", hint="delete the file to take it back")
        else:
            return write
    raise NotFound(f"no write to {note.uri} is left to undo", hint="`octavo history` lists its versions")


def _differences(replaced: Replaced, size: int) -> Sequence[ChangedRange] | None:
    """Where a file of that size changes when what was replaced comes back; of a file that was kept whole, unknown."""
    if replaced.whole:
        return None
    ranges, grown = [], 0
    for part in replaced.parts:
        start, end = part.start, size - part.end
        ranges.append(ChangedRange(start, end, start + grown, start + grown + len(part.content)))
        grown += len(part.content) - (end - start)
    return ranges


def _of_version(
    notes: ProjectNotes, note: NoteFile, number: int, file: File | None, writes: Sequence[NoteWrite]
) -> bytes:
    """A version's exact bytes if the file has them or a write replaced them; else its text with the line ending the
    file has now. A text that is kept without its keys and tokens is not written in the place of what it was."""
    documents, project = notes.library.store.documents, notes.library.project.id
    document = document_id(project, note.collection.id, note.real_uri)
    hashes = {version.version: version.text_hash for version in documents.versions(project, document)}
    if number not in hashes:
        known = ", ".join(map(str, hashes)) or "none"
        raise NotFound(f"{note.uri} has no version {number}", hint=f"versions: {known}; `octavo history` lists them")
    text = documents.texts(project, [hashes[number]])[hashes[number]]
    for content in _known_bytes(file, writes):
        if shown_text(note.collection, normalise(content.decode("utf-8", "replace"))) == text:
            return content
    now = file.content.decode("utf-8", "replace") if file else ""
    if lacks_keys(note.collection, now, text):
        raise InvalidArgument(
            f"version {number} of {note.uri} is kept without its keys and tokens",
            hint=f"`octavo get {note.uri} --version {number}` shows the rest of it",
        )
    mark = BOM if now.startswith(BOM) else ""
    return encoded(mark + text.replace("\n", line_ending(now)))


def _known_bytes(file: File | None, writes: Sequence[NoteWrite]) -> Iterator[bytes]:
    """The bytes that the file has and those that writes replaced, newest first. A part of them needs the rest, which is
    known as long as nobody else wrote to the file since."""
    written = file.content if file is not None else None
    if written is not None:
        yield written
    for write in reversed(writes):
        if write.before is None:
            continue
        if written is None or digest(written) != write.hash:
            written = None
        if written is None and not write.before.whole:
            continue
        written = write.before.within(written or b"")
        yield written
