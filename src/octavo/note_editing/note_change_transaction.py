"""Writes changed notes, several files all or none, and tells the writer what changed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

from octavo.errors import Conflict, StorageError
from octavo.fast_dataclass import dataclass, replace
from octavo.model.note_write_record import Replaced, ReplacedPart
from octavo.model.projects_and_collections import Collection
from octavo.note_editing.file_diff import difference
from octavo.note_editing.link_rewriting import LinkChange
from octavo.note_editing.multi_file_write_journal import Journal, Renamed, all_or_nothing
from octavo.note_editing.no_overwrite_renames import rename_new
from octavo.note_editing.note_files import File, digest, overwrite_all, refuse_no_place
from octavo.note_editing.note_redaction import redacted_diff, refuse_marks
from octavo.note_editing.spliced_text import ChangedRange
from octavo.path_resolution_and_private_folders import real_path

_KEPT_WHOLE = 256 * 1024  # bytes: of a larger file only what a write replaced is kept


class WriteTerms(Protocol):
    """Who changes a note and why, what it must still be, and whether anything is written at all."""

    @property
    def expected_hash(self) -> str | None: ...
    @property
    def dry_run(self) -> bool: ...
    @property
    def author(self) -> str: ...
    @property
    def reason(self) -> str: ...


@dataclass(frozen=True, slots=True)
class WriteAnswer:
    """What a change did, or with `dry_run` would do. `hash` is the SHA-256 of the new bytes; the lines are those of the
    section, or of the whole file, as they are then."""

    hash: str
    collection: str = ""
    uri: str = ""
    changed: bool = True
    dry_run: bool = False
    start_line: int = 1
    end_line: int = 1
    diff: str = ""
    indexed: bool | None = None
    """Whether searches find the new text already; unset where nothing was written."""
    note: str | None = None


@dataclass(frozen=True, slots=True)
class LinkedWriteAnswer(WriteAnswer):
    """`links` are those of the collection that lead elsewhere after the change; `links_updated`, whether they were, or
    in a dry run would be, written anew. They are looked for in a dry run and when they are to be updated."""

    links: tuple[LinkChange, ...] = ()
    links_updated: bool = False


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A file of a collection, which may not be there yet."""

    collection: Collection
    uri: str
    path: Path

    @property
    def real_uri(self) -> str:
        """The uri of the file that the note's own uri leads to."""
        return self.path.relative_to(real_path(self.collection.root)).as_posix()


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
class FileChange:
    """A note's file as it was read, what it becomes, and with `to` its new place."""

    note: NoteFile
    old: File
    written: NoteChange
    to: NoteFile | None = None

    @property
    def happens(self) -> bool:
        return self.to is not None or self.written.changed


def refuse_taken(note: NoteFile, target: NoteFile, hint: str = "choose another name") -> None:
    refuse_no_place(target.path, target.uri)
    if os.path.lexists(target.path) and not _other_spelling(note.path, target.path):
        raise Conflict(f"there is a file {target.uri} already", hint=hint)


def write_all(journal: Journal, changes: Sequence[FileChange]) -> Sequence[Path]:
    """Gives the renamed file its name and writes every file; what fails, or is killed, takes all of it back.

    Returns the folders that were made for the renamed file, deepest first.
    """
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
        return ()
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
    return missing


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
