"""Which collection a note is in, whether it may be written, and one change of its file from reading to indexing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path

from octavo.dataclass import dataclass
from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, NotFound, OctavoError
from octavo.model.collection import Collection
from octavo.model.location import real_path
from octavo.model.note_write import NoteWrite, Replaced, ReplacedPart
from octavo.observability.logs import logger
from octavo.operations.library.collections import is_writable
from octavo.operations.writing.answers import WriteAnswer
from octavo.operations.writing.requests import WriteRequest
from octavo.writing.diff import difference
from octavo.writing.edit import EditedText
from octavo.writing.files import (
    File,
    digest,
    encoded,
    located,
    overwrite,
    read,
    refuse_changed,
    refuse_generated,
    refuse_irreplaceable,
    write_new,
)
from octavo.writing.hiding import hiding, left_out, redacted_diff, refuse_marks, without_keys
from octavo.writing.journal import Journal
from octavo.writing.lock import folder_lock
from octavo.writing.outline import NoteOutline
from octavo.writing.splice import ChangedRange

_INDEX_PATIENCE_SECONDS = 2.0
_KEPT_WHOLE = 256 * 1024  # bytes: of a larger file only what a write replaced is kept
_INDEXED_AT_ONCE = 1_000_000  # bytes: a larger file would keep its writer waiting


@dataclass(frozen=True)
class NoteChange:
    """A file as it was read, None where there was none, and its new bytes: compared and hashed once."""

    before: File | None
    content: bytes
    known: Sequence[ChangedRange] | None = None
    """Where they differ, if that is known."""

    @cached_property
    def hash(self) -> str:
        return digest(self.content)

    @cached_property
    def changed(self) -> bool:
        return self.content != self._old

    @property
    def replaced(self) -> Replaced | None:
        """What takes the write back. Of a large file only the part that differs."""
        if self.before is None:
            return None
        if len(self._old) <= _KEPT_WHOLE:
            return Replaced((ReplacedPart(self._old),))
        return Replaced(
            tuple(
                ReplacedPart(self._old[start:end], new_start, len(self.content) - new_end)
                for start, end, new_start, new_end in self._differences
            )
        )

    def diff(self, note: NoteFile) -> str:
        if not self.changed:
            return ""
        return redacted_diff(note.collection, self._old, self.content, note.uri, self._differences)

    def refuse_marks(self, note: NoteFile) -> None:
        refuse_marks(note.collection, self._old, self.content, note.uri)

    @property
    def _old(self) -> bytes:
        return self.before.content if self.before is not None else b""

    @cached_property
    def _differences(self) -> Sequence[ChangedRange]:
        return self.known or [difference(self._old, self.content)]


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A file of a collection, which may not be there yet."""

    collection: Collection
    uri: str
    path: Path


def note_in(engine: Engine, uri: str, collection: str | None, *, new: bool = False) -> NoteFile:
    """The note at a uri: in the named collection, or in the one that has it, writable ones before others.

    `collection/uri`, as answers show it, is understood where no note has that uri and no collection is named. The uri
    of a `new` note is where it will be: another file must never be overwritten in its place.
    """
    folders = [engine.collection(collection)] if collection is not None else list(engine.collections())
    folders = [folder for folder in folders if folder.on_disk]
    if not folders:
        raise NotFound("the library has no folder to look in", hint="run `octavo add FOLDER --name NAME`")
    notes = [NoteFile(folder, uri, located(folder.root, uri)) for folder in folders]
    shown = [_as_shown(folder, uri) for folder in folders] if collection is None and not new else []
    notes = [note for note in notes if note.path.is_file()] or [note for note in shown if note] or notes
    notes = [note for note in notes if is_writable(engine, note.collection)] or notes
    if len(notes) > 1:
        names = ", ".join(note.collection.name for note in notes)
        raise InvalidArgument(
            f"{uri} could be in several collections: {names}", hint="say which one with the argument collection"
        )
    return notes[0]


def _as_shown(folder: Collection, name: str) -> NoteFile | None:
    uri = name.removeprefix(f"{folder.name}/")
    path = located(folder.root, uri)
    return NoteFile(folder, uri, path) if uri != name and path.is_file() else None


def refuse_unwritable(engine: Engine, collection: Collection) -> None:
    if not is_writable(engine, collection):
        raise InvalidArgument(
            f"the collection {collection.name} is not writable",
            hint=f"allow it with `octavo add {collection.place} --name {collection.name} --writable`",
        )


def refuse_left_out(engine: Engine, note: NoteFile, *, new: bool = False) -> None:
    """What no search reads is not read here either, and no `new` note is put where nothing would read it: hidden and
    ignored folders hold what other programs run and trust."""
    library = engine.library
    files, templates = library.history_rules(note.collection.settings).files, library.config.writing.templates
    for uri in (note.uri, path_in(note)):
        if reason := left_out(note.collection, files, uri, templates, new=new):
            raise InvalidArgument(
                f"{note.uri} {'would be' if new else 'is'} left out of {note.collection.name}: {reason}",
                hint="choose another name or folder" if new else "edit the file itself",
            )


def present(engine: Engine, note: NoteFile) -> File:
    """The note's file as it is on disk."""
    refuse_left_out(engine, note)
    try:
        return read(note.path, note.uri, engine.library.config.writing.max_file_bytes)
    except NotFound as error:
        first, _, rest = note.uri.partition("/")
        if rest and first in {collection.name for collection in engine.collections()}:
            error.hint = f"a uri is relative to its collection: give uri {rest!r} and collection {first!r}"
        raise


def locked(engine: Engine, collection: Collection) -> AbstractContextManager[Journal]:
    """The folder's lock, held from reading a note to replacing it."""
    return folder_lock(collection.root, engine.library.journals(collection))


def change(
    engine: Engine, note: NoteFile, request: WriteRequest, operation: str, edit: Callable[[NoteOutline], EditedText]
) -> WriteAnswer:
    """Reads the note, edits its text, and puts the new one in its place; nobody else writes meanwhile."""
    with locked(engine, note.collection), hiding(note.collection):
        file = present(engine, note)
        document = NoteOutline(file.text)
        refuse_generated(document.text, note.uri)
        refuse_changed(file, request.expected_hash, note.uri)
        edited = edit(document)
        written = NoteChange(file, encoded(edited.text), edited.differences)
        if written.changed:
            refuse_irreplaceable(file)
            written.refuse_marks(note)
            if not request.dry_run:
                overwrite(file, written.content)
                recorded(engine, note.collection, request, operation, {path_in(note): written})
    return answered(engine, note, request, written, edited)


def put(engine: Engine, note: NoteFile, request: WriteRequest, operation: str, written: NoteChange) -> WriteAnswer:
    """Writes a whole file, new or in the place of another; the folder's lock is the caller's."""
    before, content = written.before, written.content
    if before is None:
        refuse_left_out(engine, note, new=True)
    else:
        refuse_irreplaceable(before)
    if not request.dry_run:
        if before is None:
            write_new(note.path, content)
        elif written.changed:
            overwrite(before, content)
        if before is None or written.changed:
            recorded(engine, note.collection, request, operation, {path_in(note): written})
    text = content.decode("latin-1")
    return answered(engine, note, request, written, EditedText(text, 0, len(text)))


def recorded(
    engine: Engine,
    collection: Collection,
    request: WriteRequest,
    operation: str,
    files: Mapping[str, NoteChange],
    renamed: Mapping[str, str] | None = None,
) -> None:
    """Keeps the bytes that one operation replaced, what the `renamed` were called, and who did it. The files are
    written: what fails here is only logged."""
    author, reason = without_keys(request.author), without_keys(request.reason)
    writes = {
        uri: NoteWrite(operation, author, reason, file.hash, file.replaced, renamed_from=(renamed or {}).get(uri))
        for uri, file in files.items()
    }
    try:
        engine.store.note_writes.put(engine.project.id, collection.id, writes)
    except OctavoError as error:
        logger("writing").warning("a write to %s cannot be undone: %s", ", ".join(files), error.message)


def path_in(note: NoteFile) -> str:
    """The uri of the file that a note's own uri leads to."""
    return note.path.relative_to(real_path(note.collection.root)).as_posix()


def answered(
    engine: Engine, note: NoteFile, request: WriteRequest, written: NoteChange, edited: EditedText
) -> WriteAnswer:
    idle = request.dry_run or not written.changed
    indexed, problem = (None, None) if idle else _indexed(engine, note, len(written.content))
    start, end = edited.lines
    return WriteAnswer(
        collection=note.collection.name,
        uri=note.uri,
        hash=written.hash,
        changed=written.changed,
        dry_run=request.dry_run,
        start_line=start,
        end_line=end,
        diff=written.diff(note),
        indexed=indexed,
        note=problem,
    )


def indexed(engine: Engine, collection: Collection, paths: Sequence[str]) -> tuple[bool, str | None]:
    """Takes files into the library at once. They are written: what fails here is only told."""
    try:
        engine.writer.index_changes({collection.name: list(paths)}, patience=_INDEX_PATIENCE_SECONDS)
    except OctavoError as error:
        return False, f"the file is written, but not indexed yet: {error.message}"
    return True, None


def _indexed(engine: Engine, note: NoteFile, size: int) -> tuple[bool, str | None]:
    """Takes the new text into the library at once. The file is written: what fails here is only told."""
    if size > _INDEXED_AT_ONCE:
        return False, "the file is written; one this large is indexed by the watcher or by `octavo index`"
    return indexed(engine, note.collection, [path_in(note)])
