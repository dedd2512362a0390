"""A folder of Markdown in step with the store, both ways: whoever changed a memory, the other side learns of it.

What each side was when they last agreed is written down, so that a change is told from a difference. Where both
changed, both texts become versions and the file's is the newer one. Every step can be repeated: a crash between a file
and its row, or a row and its file, is made good by the next run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from recto.errors import InvalidArgument, RectoError, SourceError
from recto.memory.commit import archive, create, pin, revise
from recto.memory.desk import Desk
from recto.memory.draft import Circumstances, Draft, checked, source_of
from recto.memory.history import given_title, version
from recto.memory.notes import Note, file_name, read_note, write_note
from recto.memory.remember import refuse_secrets
from recto.model.ids import text_hash
from recto.model.memory import MemoryFile, MemoryFilter, MemoryItem, MemoryStatus
from recto.sources.decode import Refused, read

TRASH = ".trash"
_LARGEST = 4_000_000  # bytes
_ALL_GONE = 3  # files: that many missing at once, and none left, look like a folder that is not there
_AUTHOR = "memory files"


@dataclass
class SyncReport:
    """Paths, by what happened to them. `conflicts` changed on both sides; `problems` say why a file was left alone."""

    created: list[str] = field(default_factory=list)
    revised: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)
    trashed: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    unchanged: int = 0


def sync(desk: Desk, folder: Path, *, accept_deletions: bool = False) -> SyncReport:
    """Brings the folder and the project's memories in step. A folder that cannot be read changes nothing."""
    run = _Run(desk, folder, accept_deletions)
    run.from_files()
    run.from_store()
    return run.report


@dataclass(frozen=True, slots=True)
class _Found:
    path: str
    digest: str
    note: Note


class _Run:
    def __init__(self, desk: Desk, folder: Path, accept_deletions: bool) -> None:
        self._desk = desk
        self._folder = folder
        self._name = str(folder.resolve())
        self._accept_deletions = accept_deletions
        self._rows = {row.path: row for row in desk.store.memories.files(desk.project, self._name)}
        self._broken: set[str] = set()
        self.report = SyncReport()

    def from_files(self) -> None:
        """What was written, edited, renamed or deleted in the folder."""
        found = {one.path: one for one in self._files()}
        self._renamed(found)
        missing = [row for path, row in self._rows.items() if path not in found and path not in self._broken]
        if len(missing) >= _ALL_GONE and not found and not self._broken and not self._accept_deletions:
            raise SourceError(
                f"all {len(missing)} files are gone from {self._folder}",
                hint="if they were deleted on purpose, say so with --accept-deletions; nothing was changed",
            )
        for one in found.values():
            try:
                self._take(one, self._rows.get(one.path))
            except RectoError as error:
                self._broken.add(one.path)
                self.report.problems.append((one.path, error.message))
        for row in missing:
            self._deleted(row)

    def from_store(self) -> None:
        """What was committed, revised or put away in the store."""
        items = {
            item.id: item for item in self._desk.store.memories.find(self._desk.project, MemoryFilter(status=None))
        }
        known = {row.item_id: row for row in self._rows.values()}
        for row in list(self._rows.values()):
            item = items.get(row.item_id)
            if row.path in self._broken or item is None:
                continue
            if item.status is MemoryStatus.ARCHIVED:
                self._to_trash(row)
            elif _digest(self._content(item)) != row.digest:
                self._write(item, row.path)
        for item in items.values():
            if item.id not in known and item.status is MemoryStatus.ACTIVE:
                self._write(item, self._free_name(item))

    def _files(self) -> Iterator[_Found]:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            entries = sorted(os.scandir(self._folder), key=lambda entry: entry.name)
        except OSError as error:
            raise SourceError(f"{self._folder} cannot be read: {error.strerror}", hint="nothing was changed") from error
        for entry in entries:
            if entry.name.startswith(".") or not entry.name.endswith(".md") or not entry.is_file(follow_symlinks=False):
                continue
            try:
                decoded = read(Path(entry.path), _LARGEST)
                if isinstance(decoded, Refused):
                    raise InvalidArgument(decoded.reason)
                yield _Found(entry.name, _digest(decoded.text), read_note(decoded.text))
            except (RectoError, OSError) as error:
                self._broken.add(entry.name)
                said = error.message if isinstance(error, RectoError) else str(error)
                self.report.problems.append((entry.name, said))

    def _renamed(self, found: dict[str, _Found]) -> None:
        """A file that is gone while another says it is the same memory was renamed."""
        gone = {row.item_id: row for path, row in self._rows.items() if path not in found}
        for one in found.values():
            row = gone.get(one.note.item) if one.note.item and one.path not in self._rows else None
            if row is not None:
                with self._desk.store.transaction():
                    self._desk.store.memories.remove_file(self._desk.project, self._name, row.path)
                    self._desk.store.memories.put_file(self._desk.project, self._name, replace(row, path=one.path))
                del self._rows[row.path]
                self._rows[one.path] = replace(row, path=one.path)

    def _take(self, found: _Found, row: MemoryFile | None) -> None:
        if row is not None and row.digest == found.digest:
            self.report.unchanged += 1
            return
        item = self._item(found, row)
        if item is None:
            self._create(found)
            return
        self._edited(found, item, row.version if row else found.note.version)

    def _item(self, found: _Found, row: MemoryFile | None) -> MemoryItem | None:
        """The memory a file stands for: the one it stood for before, or the one it names, if no other file does."""
        name = row.item_id if row else found.note.item
        if name is None or (row is None and name in {other.item_id for other in self._rows.values()}):
            return None
        return self._desk.store.memories.get(self._desk.project, name)

    def _create(self, found: _Found) -> None:
        draft = checked(replace(found.note.draft, pinned=found.note.pinned))
        refuse_secrets(draft)
        made = create(self._desk, draft, self._by(found, 0, "written in a file"))
        self.report.created.append(found.path)
        item = self._desk.item(made.item.id)
        if found.note.status is MemoryStatus.ARCHIVED:
            item = archive(self._desk, item.id, Circumstances(_AUTHOR, "its file says so")).item
        self._agree(item, found.path)

    def _edited(self, found: _Found, item: MemoryItem, based_on: int | None) -> None:
        note = found.note
        if note.status is MemoryStatus.ARCHIVED and item.status is MemoryStatus.ACTIVE:
            archive(self._desk, item.id, Circumstances(_AUTHOR, "its file says so"))
            self.report.archived.append(found.path)
            self._remember(found.path, item, found.digest)
            return
        draft = self._continued(item, note)
        if self._differs(item, draft):
            refuse_secrets(draft)
            meanwhile = based_on is not None and item.version > based_on
            reason = f"edited in a file; v{item.version} was committed meanwhile" if meanwhile else "edited in a file"
            revise(self._desk, item.id, draft, self._by(found, item.version, reason))
            self.report.revised.append(found.path)
            if meanwhile:
                self.report.conflicts.append(found.path)
        if note.pinned != item.pinned:
            pin(self._desk, item.id, Circumstances(_AUTHOR, "its file says so"), pinned=note.pinned)
        self._agree(self._desk.item(item.id), found.path)

    def _continued(self, item: MemoryItem, note: Note) -> Draft:
        draft = checked(note.draft)
        return replace(draft, canonical_key=item.canonical_key, doc_class=item.doc_class)

    def _differs(self, item: MemoryItem, draft: Draft) -> bool:
        held = version(self._desk, item.id, item.version)
        titled = (draft.title or "") == given_title(self._desk, item)
        # Tags in the text belong to it as much as those in front of it.
        same = (draft.text, draft.kind, draft.scope, set(draft.tags) <= set(item.tags), titled)
        tags_gone = bool(set(item.tags) - set(draft.tags) - self._written_tags(item, held.text))
        return (
            same != (held.text, item.kind, item.scope, True, True)
            or tags_gone
            or item.status is not MemoryStatus.ACTIVE
        )

    def _written_tags(self, item: MemoryItem, text: str) -> set[str]:
        return set(self._desk.prepare(source_of(self._desk, item.id, Draft(text), 0.0)).document.tags)

    def _deleted(self, row: MemoryFile) -> None:
        """The folder was listed and the file is not in it: that is evidence."""
        item = self._desk.store.memories.get(self._desk.project, row.item_id)
        if item is not None and item.status is MemoryStatus.ACTIVE:
            self._put_aside(row.path, self._content(item))
            archive(self._desk, item.id, Circumstances(_AUTHOR, "its file was deleted"))
            self.report.archived.append(row.path)
        self._forget(row)

    def _to_trash(self, row: MemoryFile) -> None:
        path = self._folder / row.path
        trash = self._trash(row.path)
        with suppress(FileNotFoundError):
            path.replace(trash)
        self.report.trashed.append(row.path)
        self._forget(row)

    def _put_aside(self, path: str, content: str) -> None:
        _write(self._trash(path), content)

    def _trash(self, path: str) -> Path:
        """A free name in the trash: what was thrown away before stays."""
        folder = self._folder / TRASH
        folder.mkdir(exist_ok=True)
        stem = path.removesuffix(".md")
        number, free = 1, folder / path
        while free.exists():
            number += 1
            free = folder / f"{stem}.{number}.md"
        return free

    def _free_name(self, item: MemoryItem) -> str:
        name = file_name(item)
        taken = {*self._rows, *self._broken}
        return name if name not in taken and not (self._folder / name).exists() else f"{item.id}.md"

    def _write(self, item: MemoryItem, path: str) -> None:
        _write(self._folder / path, self._content(item))
        self.report.written.append(path)
        self._remember(path, item, _digest(self._content(item)))

    def _agree(self, item: MemoryItem, path: str) -> None:
        """The file as the store would write it, and both written down as being in step."""
        content = self._content(item)
        _write(self._folder / path, content)
        self._remember(path, item, _digest(content))

    def _remember(self, path: str, item: MemoryItem, digest: str) -> None:
        row = MemoryFile(path, item.id, item.version, digest)
        with self._desk.store.transaction():
            self._desk.store.memories.put_file(self._desk.project, self._name, row)
        self._rows[path] = row

    def _forget(self, row: MemoryFile) -> None:
        with self._desk.store.transaction():
            self._desk.store.memories.remove_file(self._desk.project, self._name, row.path)
        self._rows.pop(row.path, None)

    def _content(self, item: MemoryItem) -> str:
        held = version(self._desk, item.id, item.version)
        return write_note(item, held.text, given_title(self._desk, item))

    def _by(self, found: _Found, at: int, reason: str) -> Circumstances:
        """Under a key that says which edit of which file this is: after a crash the same edit is not made twice."""
        key = text_hash(f"{self._name}\0{found.path}\0{found.digest}\0{at}")[:32]
        return Circumstances(_AUTHOR, reason, None, f"file {key}")


def _digest(content: str) -> str:
    return text_hash(content)


def _write(path: Path, content: str) -> None:
    """Beside it first, then in its place: a reader never sees half a file."""
    aside = path.with_name(f".{path.name}.new")
    try:
        aside.write_text(content, "utf-8", newline="\n")
        aside.replace(path)
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error.strerror}") from error
