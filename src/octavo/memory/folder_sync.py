"""Synchronises a folder of Markdown files with a project's memories, both ways.

For each file the last agreed version and digest are recorded, so that a change on one side is told from a difference.
When both sides changed, both texts become versions and the file's is the newer one. Every step can be repeated: after a
crash between writing a file and recording it, the next run completes the step. A file that somebody saves during a run
is not replaced: it is compared again right before, and what differs waits for the next run.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from octavo.atomic_file_replacement import replace_file
from octavo.errors import InvalidArgument, OctavoError, SourceError
from octavo.fast_dataclass import dataclass, replace
from octavo.memory.draft import MemoryDraft, Provenance, checked, source_of
from octavo.memory.folder_sync_report import SkippedNote, SyncReport
from octavo.memory.memory_changes import Committed, archive, create, from_current, pin, revise
from octavo.memory.memory_file_rewriting import edited
from octavo.memory.memory_markdown_files import MemoryNote, file_name, read_note, write_note
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.remember import refuse_secrets
from octavo.memory.version_history import given_title, version
from octavo.model.ids import text_hash
from octavo.model.memory import MemoryFile, MemoryFilter, MemoryItem, MemoryStatus
from octavo.model.normalised_text_and_spans import normalise
from octavo.path_resolution_and_private_folders import real_path
from octavo.sources.secret_redaction import replaced_by_marks
from octavo.sources.text_decoding import UnreadableFile, decode, read_bytes

TRASH = ".trash"
_LARGEST = 4_000_000  # bytes
_SUSPICIOUS_LOSS = 3  # files: that many gone and none left looks like a folder that is not mounted
_AUTHOR = "memory files"
_FILE_SAYS_SO = Provenance(_AUTHOR, "its file says so")


def sync(memories: ProjectMemories, folder: Path, *, accept_deletions: bool = False) -> SyncReport:
    """Applies the folder's changes to the memories, then the memories' changes to the folder.

    A folder that cannot be read changes nothing.
    """
    run = Synchronisation(memories, folder, accept_deletions)
    run.files_to_memories()
    run.memories_to_files()
    return run.report()


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    digest: str
    note: MemoryNote


class Synchronisation:
    """One run: the files as they were at the last agreement, and what has been done since."""

    def __init__(self, memories: ProjectMemories, folder: Path, accept_deletions: bool) -> None:
        self._memories = memories
        self._folder = folder
        self._folder_id = str(real_path(folder))
        self._accept_deletions = accept_deletions
        self._agreed = {row.path: row for row in memories.repository.files(memories.project, self._folder_id)}
        self._paths: dict[str, list[str]] = defaultdict(list)
        self._problems: dict[str, str] = {}
        self._originals: dict[str, bytes] = {}
        self._unchanged = 0

    def report(self) -> SyncReport:
        return SyncReport(
            folder=str(self._folder),
            created=tuple(self._paths["created"]),
            revised=tuple(self._paths["revised"]),
            written=tuple(self._paths["written"]),
            archived=tuple(self._paths["archived"]),
            trashed=tuple(self._paths["trashed"]),
            conflicts=tuple(self._paths["conflicts"]),
            problems=tuple(SkippedNote(path, reason) for path, reason in self._problems.items()),
            unchanged=self._unchanged,
        )

    def files_to_memories(self) -> None:
        """Applies what was added, edited, renamed or deleted in the folder."""
        files = {file.path: file for file in self._files()}
        self._follow_renames(files)
        missing = [row for path, row in self._agreed.items() if path not in files and path not in self._problems]
        all_gone = len(missing) >= _SUSPICIOUS_LOSS and not files and not self._problems
        if all_gone and not self._accept_deletions:
            raise SourceError(
                f"all {len(missing)} files are gone from {self._folder}",
                hint="if they were deleted on purpose, say so with --accept-deletions; nothing was changed",
            )
        for file in files.values():
            try:
                self._apply(file, self._agreed.get(file.path))
            except OctavoError as error:
                self._problems[file.path] = error.message
        for row in missing:
            self._archive_deleted(row)

    def memories_to_files(self) -> None:
        """Writes what was created, revised or archived among the memories."""
        memories = self._memories
        items = {item.id: item for item in memories.repository.find(memories.project, MemoryFilter(status=None))}
        with_file = {row.item_id for row in self._agreed.values()}
        for row in list(self._agreed.values()):
            item = items.get(row.item_id)
            if row.path in self._problems or item is None:
                continue
            if item.status is MemoryStatus.ARCHIVED:
                self._move_to_trash(row)
            elif (before := self._originals.get(row.path)) is None or self._edited(item, before) != before:
                self._write(item, row.path, row)
        for item in items.values():
            if item.id not in with_file and item.status is MemoryStatus.ACTIVE:
                self._write(item, self._free_name(item), None)

    def _files(self) -> Iterator[_File]:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            entries = sorted(os.scandir(self._folder), key=lambda entry: entry.name)
        except OSError as error:
            raise SourceError(f"{self._folder} cannot be read: {error.strerror}", hint="nothing was changed") from error
        for entry in entries:
            if entry.name.startswith(".") or not entry.name.endswith(".md") or not entry.is_file(follow_symlinks=False):
                continue
            try:
                content = read_bytes(Path(entry.path), _LARGEST)
                decoded = content if isinstance(content, UnreadableFile) else decode(content[0])
                if isinstance(content, UnreadableFile) or isinstance(decoded, UnreadableFile):
                    raise InvalidArgument(decoded.reason if isinstance(decoded, UnreadableFile) else "it is not text")
                self._originals[entry.name] = content[0]
                yield _File(entry.name, text_hash(decoded.text), read_note(decoded.text))
            except (OctavoError, OSError) as error:
                self._problems[entry.name] = error.message if isinstance(error, OctavoError) else str(error)

    def _follow_renames(self, files: dict[str, _File]) -> None:
        """A file is renamed when it is gone and a new file names the same memory."""
        gone = {row.item_id: row for path, row in self._agreed.items() if path not in files}
        repository, project = self._memories.repository, self._memories.project
        for file in files.values():
            row = gone.get(file.note.item) if file.note.item and file.path not in self._agreed else None
            if row is not None:
                renamed = replace(row, path=file.path)
                with self._memories.store.transaction():
                    if self._recorded(row.path) != row or self._recorded(file.path) is not None:
                        continue  # another run has seen it too
                    repository.remove_file(project, self._folder_id, row.path)
                    repository.put_file(project, self._folder_id, renamed)
                del self._agreed[row.path]
                self._agreed[file.path] = renamed

    def _apply(self, file: _File, row: MemoryFile | None) -> None:
        if row is None or row.digest != file.digest:
            # Another run may have written it since this one began: under the lock, its record is complete as well.
            with self._memories.store.transaction():
                row = self._recorded(file.path)
            if row is not None:
                self._agreed[file.path] = row
        if row is not None and row.digest == file.digest:
            self._unchanged += 1
            return
        item = self._item(file, row)
        if item is None:
            self._create(file)
            return
        self._revise(file, item, row.version if row else file.note.version)

    def _item(self, file: _File, row: MemoryFile | None) -> MemoryItem | None:
        """The memory of a file: the one recorded for it, or the one it names, unless another file has that."""
        name = row.item_id if row else file.note.item
        if name is None or (row is None and name in {other.item_id for other in self._agreed.values()}):
            return None
        return self._memories.repository.get(self._memories.project, name)

    def _create(self, file: _File) -> None:
        draft = checked(replace(file.note.draft, pinned=file.note.pinned))
        refuse_secrets(draft)
        item = self._created(file, draft)
        self._paths["created"].append(file.path)
        if file.note.status is MemoryStatus.ARCHIVED:
            item = archive(self._memories, item.id, _FILE_SAYS_SO).item
        self._rewrite(item, file)

    def _created(self, file: _File, draft: MemoryDraft) -> MemoryItem:
        """The memory of a new file. One that a crashed run created is taken up; one that was archived since, or that
        has another file, belongs to an earlier file of this name and text."""
        with_file = {row.item_id for row in self._agreed.values()}
        for occurrence in count():
            by = self._provenance(file, 0, "written in a file", occurrence)
            created = create(self._memories, draft, by)
            item = self._memories.item(created.item.id)
            if not created.replayed or (item.status is MemoryStatus.ACTIVE and item.id not in with_file):
                return item
        raise AssertionError("occurrences do not end")

    def _revise(self, file: _File, item: MemoryItem, based_on: int | None) -> None:
        note = file.note
        if note.status is MemoryStatus.ARCHIVED and item.status is MemoryStatus.ACTIVE:
            archive(self._memories, item.id, _FILE_SAYS_SO)
            self._paths["archived"].append(file.path)
            self._record(MemoryFile(file.path, item.id, item.version, file.digest), self._agreed.get(file.path))
            return
        if self._differs(item, self._draft(file, item)):
            conflict = False

            def revised(current: MemoryItem) -> Committed:
                nonlocal conflict
                conflict = based_on is not None and current.version > based_on
                draft = self._draft(file, current)
                refuse_secrets(draft)
                late = f"; v{current.version} was committed meanwhile" if conflict else ""
                by = self._provenance(file, current.version, f"edited in a file{late}")
                return revise(self._memories, current.id, draft, by, seen=current)

            from_current(self._memories, item.id, revised)
            self._paths["revised"].append(file.path)
            if conflict:
                self._paths["conflicts"].append(file.path)
        if note.pinned != item.pinned:
            pin(self._memories, item.id, _FILE_SAYS_SO, pinned=note.pinned)
        self._rewrite(self._memories.item(item.id), file)

    def _draft(self, file: _File, item: MemoryItem) -> MemoryDraft:
        return replace(checked(file.note.draft), canonical_key=item.canonical_key, doc_class=item.doc_class)

    def _differs(self, item: MemoryItem, draft: MemoryDraft) -> bool:
        current = version(self._memories, item.id, item.version)
        # Tags inside the text count like those in the front matter.
        in_text = set(
            self._memories.prepare(source_of(self._memories, item.id, MemoryDraft(current.text), 0.0)).document.tags
        )
        given, known = set(draft.tags), set(item.tags)
        return (
            (draft.text, draft.kind, draft.scope) != (current.text, item.kind, item.scope)
            or draft.title != given_title(self._memories, item)
            or not given <= known
            or not known <= given | in_text
            or (draft.created_at is not None and abs(draft.created_at - item.created_at) >= 1.0)
            or item.status is not MemoryStatus.ACTIVE
        )

    def _archive_deleted(self, row: MemoryFile) -> None:
        """The folder was listed and the file is not in it, so it was deleted; its content goes to the trash."""
        with self._memories.store.transaction():
            if self._recorded(row.path) != row:
                self._agreed.pop(row.path, None)
                return  # another run moved it to the trash, or has a newer text of it
            if (self._folder / row.path).exists():
                return  # an editor that saves by deleting and writing anew
            item = self._memories.repository.get(self._memories.project, row.item_id)
            active = item is not None and item.status is MemoryStatus.ACTIVE
            if item is not None and active:
                write_atomically(self._free_trash(row.path), self._canonical(item))
            else:
                self._memories.repository.remove_file(self._memories.project, self._folder_id, row.path)
        if active:
            archive(self._memories, row.item_id, Provenance(_AUTHOR, "its file was deleted"))
            self._paths["archived"].append(row.path)
            self._remove_record(row)
        self._agreed.pop(row.path, None)

    def _move_to_trash(self, row: MemoryFile) -> None:
        """Takes the file of an archived memory away, under the write lock: of two runs only one does."""
        repository, project = self._memories.repository, self._memories.project
        with self._memories.store.transaction():
            content = self._content_now(row.path)
            if content not in (self._originals.get(row.path), None):
                return  # saved since it was read: an edit brings the memory back, in the next run
            item = repository.get(project, row.item_id)
            if self._recorded(row.path) != row or item is None or item.status is not MemoryStatus.ARCHIVED:
                return  # another run has done it, or the memory is active again
            if content is not None:
                (self._folder / row.path).replace(self._free_trash(row.path))
            repository.remove_file(project, self._folder_id, row.path)
        self._paths["trashed"].append(row.path)
        self._agreed.pop(row.path, None)

    def _free_trash(self, path: str) -> Path:
        """An unused name in the trash folder: nothing in it is overwritten."""
        folder = self._folder / TRASH
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise SourceError(f"{folder} is a link, or a file", hint="remove it: what is put away stays here")
        folder.mkdir(exist_ok=True)
        stem = path.removesuffix(".md")
        number, free = 1, folder / path
        while os.path.lexists(free):
            number += 1
            free = folder / f"{stem}.{number}.md"
        return free

    def _free_name(self, item: MemoryItem) -> str:
        name = file_name(item)
        taken = name in self._agreed or name in self._problems or (self._folder / name).exists()
        return f"{item.id}.md" if taken else name

    def _write(self, item: MemoryItem, path: str, row: MemoryFile | None) -> None:
        """Writes a memory that changed, or that has no file yet."""
        if self._replace(item, path, row):
            self._paths["written"].append(path)

    def _rewrite(self, item: MemoryItem, file: _File) -> None:
        """Has the file say what the memory says, and records that both sides agree; a newer save stays as it is."""
        before = self._agreed.get(file.path)
        if not self._replace(item, file.path, before):
            # Recorded as it was read: the next run finds a file that was edited since.
            self._record(MemoryFile(file.path, item.id, item.version, file.digest), before)

    def _replace(self, item: MemoryItem, path: str, row: MemoryFile | None) -> bool:
        """Replaces a file that is still as this run has read it, and records it; otherwise nothing happens.

        Under the write lock, so that of two runs only one writes the file of a memory.
        """
        before = self._originals.get(path)
        merged = None if before is None else self._edited(item, before)
        content = self._canonical(item) if merged is None else merged
        if keys := replaced_by_marks((before or b"").decode("utf-8", "replace"), content.decode("utf-8")):
            self._problems[path] = f"it stays as it is: it holds a secret ({keys[0].kind}), and the memory marks for it"
            return False
        written = MemoryFile(path, item.id, item.version, text_hash(normalise(content.decode("utf-8"))))
        repository, project = self._memories.repository, self._memories.project
        with self._memories.store.transaction():
            rows = {known.item_id: known for known in repository.files(project, self._folder_id)}
            if rows.get(item.id) != row or self._content_now(path) != before:
                return False
            if merged is None and before is not None:
                write_atomically(self._free_trash(path), before)  # of an unusual shape: nothing of it is lost
            if content != before:
                write_atomically(self._folder / path, content)
            repository.put_file(project, self._folder_id, written)
        self._originals[path], self._agreed[path] = content, written
        return True

    def _content_now(self, path: str) -> bytes | None:
        """Of the file as it is now; None when there is none."""
        if not os.path.lexists(self._folder / path):
            return None
        content = read_bytes(self._folder / path, _LARGEST)
        if isinstance(content, UnreadableFile):
            raise SourceError(f"{self._folder / path} is {content.reason}", hint="rename what is there")
        return content[0]

    def _recorded(self, path: str) -> MemoryFile | None:
        """What is recorded of a file now, by whichever run."""
        rows = self._memories.repository.files(self._memories.project, self._folder_id)
        return next((row for row in rows if row.path == path), None)

    def _record(self, row: MemoryFile, before: MemoryFile | None) -> None:
        """Unless another run has recorded something else since: that is newer than what this one read."""
        with self._memories.store.transaction():
            if self._recorded(row.path) != before:
                return
            self._memories.repository.put_file(self._memories.project, self._folder_id, row)
        self._agreed[row.path] = row

    def _remove_record(self, row: MemoryFile) -> None:
        with self._memories.store.transaction():
            if self._recorded(row.path) == row:
                self._memories.repository.remove_file(self._memories.project, self._folder_id, row.path)

    def _edited(self, item: MemoryItem, before: bytes) -> bytes | None:
        """The file with what the memory contradicts written anew; None where that would lose something."""
        try:
            original = before.decode("utf-8")
        except UnicodeDecodeError:
            return None
        text = version(self._memories, item.id, item.version).text
        content = edited(original, item, text, given_title(self._memories, item))
        return None if content is None else content.encode("utf-8")

    def _canonical(self, item: MemoryItem) -> bytes:
        current = version(self._memories, item.id, item.version)
        return write_note(item, current.text, given_title(self._memories, item)).encode("utf-8")

    def _provenance(self, file: _File, at: int, reason: str, occurrence: int = 0) -> Provenance:
        """With a key for this edit of this file, so that the same edit is not applied twice after a crash."""
        again = f"\0{occurrence}" if occurrence else ""
        key = text_hash(f"{self._folder_id}\0{file.path}\0{file.digest}\0{at}{again}")[:32]
        return Provenance(_AUTHOR, reason, None, f"file {key}")


def write_atomically(path: Path, content: bytes) -> None:
    try:
        replace_file(path, content, private=False)
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error.strerror}") from error
