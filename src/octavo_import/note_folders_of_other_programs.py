"""Folders of notes that another program indexed: each becomes a collection and is indexed, then both are compared.

The files are what counts, not the other program's index of them: chunks and vectors are made as for any folder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.engine.engine import Engine
from octavo.errors import NotFound
from octavo.fast_dataclass import dataclass
from octavo.model.import_report import Imported, ImportedCollection
from octavo.model.indexing_ledger import FileOutcome
from octavo.operations.library.collections import add, collection_name
from octavo.operations.library.requests import AddRequest

if TYPE_CHECKING:
    from octavo.observability.progress import Progress


@dataclass(frozen=True, slots=True)
class NoteFolder:
    """`files` are those that the program's index lists, by their paths in the folder; None where it has no index."""

    root: Path
    files: frozenset[str] | None = None
    name: str = ""
    ignore: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        return self.name or collection_name(self.root)


@dataclass(frozen=True, slots=True)
class FolderImporter:
    """What an entry point names. `folders` finds none in a folder that is not the program's."""

    folders: Callable[[Path], Sequence[NoteFolder]]

    def claims(self, place: Path) -> bool:
        return place.is_dir() and bool(self.folders(place))

    def open_source(self, place: Path) -> NoteFolders:
        folders = self.folders(place)
        if gone := next((folder.root for folder in folders if not folder.root.is_dir()), None):
            raise NotFound(
                f"the folder of notes {gone} is not there", hint=f"{place} names it; put it back, or edit it"
            )
        return NoteFolders(folders)


class NoteFolders:
    def __init__(self, folders: Sequence[NoteFolder]) -> None:
        self._folders = folders

    def preview(self) -> Imported:
        return Imported(tuple(_listed(folder) for folder in self._folders), 0)

    def import_into(self, engine: Engine, progress: Progress) -> Imported:
        done, embedded = [], 0
        for folder in self._folders:
            before = _outcomes(engine, folder.called)
            add(engine, AddRequest(str(folder.root), name=folder.called, ignore=folder.ignore or None))
            embedded += engine.index([folder.called], progress=progress).embedded
            after, imported = _outcomes(engine, folder.called), _listed(folder)
            indexed = {uri for uri, reason in after.items() if not reason}
            imported.added, imported.unchanged = len(indexed - before.keys()), len(indexed & before.keys())
            there = (folder.files or frozenset()) - indexed - {line.partition(": ")[0] for line in imported.left_out}
            imported.left_out += [f"{uri}: {after.get(uri) or 'an ignore rule excludes it'}" for uri in sorted(there)]
            done.append(imported)
        return Imported(tuple(done), embedded)

    def close(self) -> None:
        pass


def _listed(folder: NoteFolder) -> ImportedCollection:
    """What the index lists; without one, every Markdown file that is there."""
    files = folder.files
    if files is None:
        found = (path.relative_to(folder.root) for path in folder.root.rglob("*.md"))
        files = frozenset(path.as_posix() for path in found if not any(part.startswith(".") for part in path.parts))
    gone = sorted(uri for uri in files if not (folder.root / uri).is_file())
    there = len(files) - len(gone)
    return ImportedCollection(
        folder.called, records=len(files), added=there, left_out=[f"{uri}: it is not there any more" for uri in gone]
    )


def _outcomes(engine: Engine, name: str) -> dict[str, str]:
    """Files of a collection, each with the reason why it was skipped; that is empty where it was indexed."""
    known = next((collection for collection in engine.collections() if collection.name == name), None)
    ledger = engine.store.ledger.entries(engine.project.id, known.id) if known else {}
    return {
        uri: "" if entry.outcome is FileOutcome.INDEXED else entry.reason or entry.outcome.value
        for uri, entry in ledger.items()
    }
