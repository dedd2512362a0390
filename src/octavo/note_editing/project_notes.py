"""Finds the notes of a project by uri, and carries a change from the file through the undo log to the index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from octavo.config.schema import Config, Writing
from octavo.errors import InvalidArgument, NotFound, OctavoError
from octavo.fast_dataclass import replace
from octavo.ingest.git_commit_indexing import HistoryRules
from octavo.model.folder_scan import Scan
from octavo.model.note_write_record import NoteWrite
from octavo.model.projects_and_collections import Collection, CollectionSettings
from octavo.note_editing.folder_lock import folder_lock
from octavo.note_editing.multi_file_write_journal import Journal
from octavo.note_editing.note_change_transaction import FileChange, NoteChange, NoteFile, WriteAnswer, WriteTerms
from octavo.note_editing.note_files import (
    File,
    encoded,
    located,
    overwrite,
    read,
    refuse_changed,
    refuse_generated,
    refuse_irreplaceable,
    write_new,
)
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.note_redaction import hiding, left_out, without_keys
from octavo.note_editing.section_edits import EditedText
from octavo.observability.logs import logger
from octavo.path_resolution_and_private_folders import real_path
from octavo.sql_repositories.project_of_open_library import ProjectLibrary

_INDEXED_AT_ONCE = 1_000_000  # bytes: a larger file would keep its writer waiting


class NoteLibrary(ProjectLibrary, Protocol):
    """What notes need of an open library."""

    @property
    def config(self) -> Config: ...
    def now(self) -> float: ...
    def is_writable(self, collection: Collection) -> bool: ...
    def history_rules(self, settings: CollectionSettings) -> HistoryRules: ...
    def scan(self, collection: Collection) -> Scan: ...
    def journals(self, collection: Collection) -> Path: ...


class ProjectNotes:
    """`index` takes files of a collection into the library, by their paths."""

    def __init__(self, library: NoteLibrary, index: Callable[[Collection, Sequence[str]], object]) -> None:
        self.library = library
        self._index = index

    @property
    def settings(self) -> Writing:
        """Those of now: a server follows its configuration."""
        return self.library.config.writing

    def find(self, uri: str, collection: str | None, *, new: bool = False) -> NoteFile:
        """The note at a uri: in the named collection, or in the one that has it, writable ones before others.

        `collection/uri`, as answers show it, is understood where no note has that uri and no collection is named. The
        uri of a `new` note is where it will be: another file must never be overwritten in its place.
        """
        library = self.library
        folders = [library.collection(collection)] if collection is not None else list(library.collections())
        folders = [folder for folder in folders if folder.on_disk]
        if not folders:
            raise NotFound("the library has no folder to look in", hint="run `octavo add FOLDER --name NAME`")
        notes = [NoteFile(folder, uri, located(folder.root, uri)) for folder in folders]
        shown = [_as_shown(folder, uri) for folder in folders] if collection is None and not new else []
        notes = [note for note in notes if note.path.is_file()] or [note for note in shown if note] or notes
        notes = [note for note in notes if library.is_writable(note.collection)] or notes
        if len(notes) > 1:
            names = ", ".join(note.collection.name for note in notes)
            raise InvalidArgument(
                f"{uri} could be in several collections: {names}", hint="say which one with --collection"
            )
        return notes[0]

    def writable(self, uri: str, collection: str | None) -> NoteFile:
        """The note at a uri, which may be changed."""
        note = self.find(uri, collection)
        self.refuse_unwritable(note.collection)
        return note

    def refuse_unwritable(self, collection: Collection) -> None:
        if not self.library.is_writable(collection):
            raise InvalidArgument(
                f"the collection {collection.name} is not writable",
                hint=f"allow it with `octavo add {collection.place} --name {collection.name} --writable`",
            )

    def refuse_left_out(self, note: NoteFile, *, new: bool = False) -> None:
        """What no search reads is not read here either, and no `new` note is put where nothing would read it: hidden
        and ignored folders hold what other programs run and trust."""
        files = self.library.history_rules(note.collection.settings).files
        for uri in (note.uri, note.real_uri):
            if reason := left_out(note.collection, files, uri, self.settings.templates, new=new):
                raise InvalidArgument(
                    f"{note.uri} {'would be' if new else 'is'} left out of {note.collection.name}: {reason}",
                    hint="choose another name or folder" if new else "edit the file itself",
                )

    def read(self, note: NoteFile) -> File:
        """The note's file as it is on disk."""
        self.refuse_left_out(note)
        try:
            return read(note.path, note.uri, self.settings.max_file_bytes)
        except NotFound as error:
            first, _, rest = note.uri.partition("/")
            if rest and first in {collection.name for collection in self.library.collections()}:
                error.hint = f"a uri is relative to its collection: give uri {rest!r} and collection {first!r}"
            raise

    def locked(self, collection: Collection) -> AbstractContextManager[Journal]:
        """The folder's lock, held from reading a note to replacing it."""
        return folder_lock(collection.root, self.library.journals(collection))

    def change(
        self, note: NoteFile, terms: WriteTerms, operation: str, edit: Callable[[NoteOutline], EditedText]
    ) -> WriteAnswer:
        """Reads the note, edits its text, and puts the new one in its place; nobody else writes meanwhile."""
        with self.locked(note.collection), hiding(note.collection):
            file = self.read(note)
            document = NoteOutline(file.text)
            refuse_generated(document.text, note.uri)
            refuse_changed(file, terms.expected_hash, note.uri)
            edited = edit(document)
            written = NoteChange(file, encoded(edited.text), edited.differences)
            if written.changed:
                refuse_irreplaceable(file)
                written.refuse_marks(note)
                if not terms.dry_run:
                    overwrite(file, written.content)
                    self.record(note.collection, terms, operation, {note.real_uri: written})
        return self.answer(note, terms, written, edited)

    def put(self, note: NoteFile, terms: WriteTerms, operation: str, written: NoteChange) -> WriteAnswer:
        """Writes a whole file, new or in the place of another; the folder's lock is the caller's."""
        before, content = written.before, written.content
        if before is None:
            self.refuse_left_out(note, new=True)
        else:
            refuse_irreplaceable(before)
        if not terms.dry_run:
            if before is None:
                write_new(note.path, content)
            elif written.changed:
                overwrite(before, content)
            if before is None or written.changed:
                self.record(note.collection, terms, operation, {note.real_uri: written})
        return self.answer(note, terms, written)

    def record(
        self,
        collection: Collection,
        terms: WriteTerms,
        operation: str,
        files: Mapping[str, NoteChange],
        renamed: Mapping[str, str] | None = None,
        made_folders: Sequence[Path] = (),
    ) -> None:
        """Keeps the bytes that one operation replaced, what the `renamed` were called, the `made_folders` of those, and
        who did it. The files are written: what fails here is only logged."""
        author, reason = without_keys(terms.author), without_keys(terms.reason)
        root = real_path(collection.root)
        writes = {
            uri: NoteWrite(operation, author, reason, file.hash, file.replaced, renamed_from=(renamed or {}).get(uri))
            for uri, file in files.items()
        }
        for uri in renamed or {}:
            folders = tuple(folder.relative_to(root).as_posix() for folder in made_folders)
            writes[uri] = replace(writes[uri], made_folders=folders)
        try:
            self.library.store.note_writes.put(self.library.project.id, collection.id, writes)
        except OctavoError as error:
            logger("writing").warning("a write to %s cannot be undone: %s", ", ".join(files), error.message)

    def answer(
        self, note: NoteFile, terms: WriteTerms, written: NoteChange, edited: EditedText | None = None
    ) -> WriteAnswer:
        """What a change did; without an edit, to the whole file."""
        indexed, problem = None, None
        if written.changed and not terms.dry_run:
            problem = "the file is written; one this large is indexed by the watcher or by `octavo index`"
            if len(written.content) <= _INDEXED_AT_ONCE:
                problem = self.index(note.collection, [note.real_uri])
            indexed = problem is None
        text = written.content.decode("latin-1")
        start, end = (edited or EditedText(text, 0, len(text))).lines
        return WriteAnswer(
            collection=note.collection.name,
            uri=note.uri,
            hash=written.hash,
            changed=written.changed,
            dry_run=terms.dry_run,
            start_line=start,
            end_line=end,
            diff=written.diff(note),
            indexed=indexed,
            note=problem,
        )

    def index(self, collection: Collection, paths: Sequence[str]) -> str | None:
        """Takes files into the library at once. They are written: what fails here is only told."""
        try:
            self._index(collection, paths)
        except OctavoError as error:
            return f"the file is written, but not indexed yet: {error.message}"
        return None

    def index_others(self, note: NoteFile, changes: Sequence[FileChange]) -> None:
        """What `answer` does not take in for a note: the other notes, and names that changed."""
        paths = [change.note.real_uri for change in changes if change.note is not note and not change.to]
        for change in changes:
            if change.to is not None:
                paths += [change.note.real_uri, change.to.real_uri]
        if paths:
            self.index(note.collection, paths)


def _as_shown(folder: Collection, name: str) -> NoteFile | None:
    uri = name.removeprefix(f"{folder.name}/")
    path = located(folder.root, uri)
    return NoteFile(folder, uri, path) if uri != name and path.is_file() else None
