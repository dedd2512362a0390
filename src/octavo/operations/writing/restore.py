"""A note as it was: the last write taken back, or an earlier version written again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from octavo.dataclass import replace
from octavo.engine.engine import Engine
from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.model.ids import document_id
from octavo.model.note_write import UNDO, NoteWrite, Replaced
from octavo.model.text import normalise
from octavo.operations.writing.answers import WriteAnswer
from octavo.operations.writing.notes import (
    NoteChange,
    NoteFile,
    answered,
    locked,
    note_in,
    path_in,
    present,
    put,
    recorded,
    refuse_left_out,
    refuse_unwritable,
)
from octavo.operations.writing.requests import DocRestoreRequest
from octavo.operations.writing.several_files import FileChange, refuse_taken, reindex, write_all
from octavo.writing.edit import EditedText
from octavo.writing.files import File, digest, encoded, located, refuse_changed, refuse_irreplaceable
from octavo.writing.hiding import hiding, lacks_keys, shown_text
from octavo.writing.journal import Journal
from octavo.writing.outline import BOM
from octavo.writing.spacing import line_ending
from octavo.writing.splice import ChangedRange


def doc_restore(engine: Engine, request: DocRestoreRequest) -> WriteAnswer:
    note = note_in(engine, request.uri, request.collection)
    refuse_unwritable(engine, note.collection)
    with locked(engine, note.collection) as journal, hiding(note.collection):
        if request.version is None:
            return _undo(engine, note, request, journal)
        file = present(engine, note) if note.path.exists() else None
        refuse_changed(file, request.expected_hash, note.uri)
        content = _of_version(engine, note, request.version, file, _writes(engine, note))
        return put(engine, note, request, "doc_restore", NoteChange(file, content))


def _undo(engine: Engine, note: NoteFile, request: DocRestoreRequest, journal: Journal) -> WriteAnswer:
    """Takes back the last operation that wrote the note, in every file that it wrote, or in none."""
    file = present(engine, note)
    refuse_changed(file, request.expected_hash, note.uri)
    write = _last_write(note, file, _writes(engine, note))
    undone = [_taken_back(engine, note, file, write)]
    undone += [_other_taken_back(engine, note, uri, number) for uri, number in write.together if uri != path_in(note)]
    for change in undone:
        if change.written.changed:
            refuse_irreplaceable(change.old)
    if not request.dry_run:
        files = {path_in(change.note): change.written for change in undone}
        write_all(journal, undone)
        recorded(engine, note.collection, request, UNDO, files)
        reindex(engine, note, undone)
    own = undone[0]
    text = own.written.content.decode("latin-1")
    answer = answered(engine, own.to or note, request, own.written, EditedText(text, 0, len(text)))
    if len(undone) == 1 and own.to is None:
        return answer
    names = ", ".join((change.to or change.note).uri for change in undone)
    return replace(answer, changed=True, note=answer.note or f"all of {write.operation} is undone: {names}")


def _taken_back(engine: Engine, note: NoteFile, file: File, write: NoteWrite) -> FileChange:
    """A file as it was before a write, and where."""
    assert write.before is not None, "a file that was made is not taken back"
    known = _differences(write.before, len(file.content))
    written = NoteChange(file, write.before.within(file.content), known)
    if write.renamed_from is None:
        return FileChange(note, file, written)
    to = NoteFile(note.collection, write.renamed_from, located(note.collection.root, write.renamed_from))
    refuse_left_out(engine, to)
    refuse_taken(note, to)
    return FileChange(note, file, written, to)


def _other_taken_back(engine: Engine, note: NoteFile, uri: str, number: int) -> FileChange:
    other = NoteFile(note.collection, uri, located(note.collection.root, uri))
    if not other.path.is_file():
        raise Conflict(f"{uri} was written to by the same operation, and is gone", hint="put it back first")
    file = present(engine, other)
    write = _last_write(other, file, _writes(engine, other))
    if write.number != number:
        raise Conflict(f"{uri} was written to since, by {write.operation}", hint=f"undo that first: restore {uri}")
    return _taken_back(engine, other, file, write)


def _writes(engine: Engine, note: NoteFile) -> Sequence[NoteWrite]:
    return engine.store.note_writes.of(engine.project.id, note.collection.id, path_in(note))


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
    found, grown = [], 0
    for part in replaced.parts:
        start, end = part.start, size - part.end
        found.append(ChangedRange(start, end, start + grown, start + grown + len(part.content)))
        grown += len(part.content) - (end - start)
    return found


def _of_version(engine: Engine, note: NoteFile, number: int, file: File | None, writes: Sequence[NoteWrite]) -> bytes:
    """A version's exact bytes if the file has them or a write replaced them; else its text with the line ending the
    file has now. A text that is kept without its keys and tokens is not written in the place of what it was."""
    documents, project = engine.store.documents, engine.project.id
    document = document_id(project, note.collection.id, path_in(note))
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
