"""A note as it was: the last write taken back, or an earlier version written again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from octavo.engine.engine import Engine
from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.model.ids import document_id
from octavo.model.note_write import UNDO, NoteWrite, Replaced
from octavo.model.text import normalise
from octavo.operations.writing.answers import WriteAnswer
from octavo.operations.writing.notes import Note, Written, locked, note_in, path_in, present, put, refuse_unwritable
from octavo.operations.writing.requests import DocRestoreRequest
from octavo.writing.files import File, digest, encoded, refuse_changed
from octavo.writing.hiding import lacks_keys, shown_text
from octavo.writing.outline import BOM
from octavo.writing.spacing import line_ending
from octavo.writing.splice import Difference


def doc_restore(engine: Engine, request: DocRestoreRequest) -> WriteAnswer:
    note = note_in(engine, request.uri, request.collection)
    refuse_unwritable(engine, note.collection)
    with locked(engine, note.collection):
        file = present(engine, note) if note.path.exists() or request.version is None else None
        refuse_changed(file, request.expected_hash, note.uri)
        writes = engine.store.note_writes.of(engine.project.id, note.collection.id, path_in(note))
        if request.version is None:
            assert file is not None, "without a version there is a file to undo a write of"
            replaced = _replaced_last(note, file, writes)
            known = _differences(replaced, len(file.content))
            return put(engine, note, request, UNDO, Written(file, replaced.within(file.content), known))
        content = _of_version(engine, note, request.version, file, writes)
        return put(engine, note, request, "doc_restore", Written(file, content))


def _replaced_last(note: Note, file: File, writes: Sequence[NoteWrite]) -> Replaced:
    """What the last write that was not taken back yet replaced."""
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
            return write.before
    raise NotFound(f"no write to {note.uri} is left to undo", hint="`octavo history` lists its versions")


def _differences(replaced: Replaced, size: int) -> Sequence[Difference] | None:
    """Where a file of that size changes when what was replaced comes back; of a file that was kept whole, unknown."""
    if replaced.whole:
        return None
    found, grown = [], 0
    for part in replaced.parts:
        start, end = part.start, size - part.end
        found.append(Difference(start, end, start + grown, start + grown + len(part.content)))
        grown += len(part.content) - (end - start)
    return found


def _of_version(engine: Engine, note: Note, number: int, file: File | None, writes: Sequence[NoteWrite]) -> bytes:
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
