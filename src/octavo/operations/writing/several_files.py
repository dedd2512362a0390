"""Several files of a collection changed by one operation: all of them get their new bytes and names, or none does."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from octavo.dataclass import dataclass, replace
from octavo.engine.engine import Engine
from octavo.errors import Conflict, StorageError
from octavo.operations.writing.notes import NoteChange, NoteFile, indexed, path_in
from octavo.writing.files import File, overwrite_all, refuse_no_place
from octavo.writing.journal import Journal, Renamed, all_or_nothing
from octavo.writing.system_renames import rename_new


@dataclass(frozen=True, slots=True)
class FileChange:
    """A note's file as it was read, what it becomes, and with `to` its new place."""

    note: NoteFile
    old: File
    written: NoteChange
    to: NoteFile | None = None

    @property
    def happens(self) -> bool:
        return self.to is not None or self.written.changed


def refuse_taken(note: NoteFile, target: NoteFile) -> None:
    refuse_no_place(target.path, target.uri)
    if os.path.lexists(target.path) and not _other_spelling(note.path, target.path):
        raise Conflict(f"there is a file {target.uri} already", hint="choose another name")


def write_all(journal: Journal, changes: Sequence[FileChange]) -> None:
    """Gives the renamed file its name and writes every file; what fails, or is killed, takes all of it back."""
    moved = next((change for change in changes if change.to is not None), None)
    contents = [
        (replace(change.old, path=change.to.path) if change.to else change.old, change.written.content)
        for change in changes
        if change.written.changed
    ]
    if moved is None or moved.to is None:
        if len(contents) == 1:
            overwrite_all(contents)
        elif contents:
            with all_or_nothing(journal, contents, None):
                overwrite_all(contents)
        return
    source, target = moved.note, moved.to
    missing = [folder for folder in target.path.parents if not folder.exists()]
    try:
        with all_or_nothing(journal, contents, Renamed(source.path, target.path, missing)):
            target.path.parent.mkdir(parents=True, exist_ok=True)
            _rename(source.path, target.path)
            if contents:
                overwrite_all(contents)
    except FileExistsError:
        raise Conflict(f"{target.uri} was made meanwhile", hint="choose another name; nothing changed") from None
    except OSError as error:
        raise StorageError(f"{source.uri} could not be renamed: {error.strerror}", hint="nothing changed") from error


def reindex(engine: Engine, note: NoteFile, changes: Sequence[FileChange]) -> None:
    """What `answered` does not take in for a note: the other notes, and names that changed."""
    base = os.path.realpath(note.collection.root)
    paths = [path_in(change.note) for change in changes if change.note is not note and not change.to]
    for change in changes:
        if change.to is not None:
            paths += [change.note.path.relative_to(base).as_posix(), path_in(change.to)]
    if paths:
        indexed(engine, note.collection, paths)


def _other_spelling(source: Path, target: Path) -> bool:
    """Whether a disk that ignores case, or how letters are composed, takes both for the name of one file."""
    if source == target or not target.exists() or not target.samefile(source):
        return False
    return source.stat().st_nlink == 1  # else the other may be a hard link to it: a name of its own


def _rename(source: Path, target: Path) -> None:
    if _other_spelling(source, target):
        source.rename(target)  # the name is its own: the disk takes both spellings for one
    else:
        rename_new(source, target)
