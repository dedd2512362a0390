"""Folders of notes that ragdocs, MSRL, basic-memory or Obsidian indexed: each becomes a collection.

The files are what counts, not the other program's index of them: chunks and vectors are made as for any folder.
"""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo.bounded_file_reading import read_small
from octavo.engine.engine import Engine
from octavo.errors import NotFound, OctavoError
from octavo.fast_dataclass import Value
from octavo.model.indexing_ledger import FileOutcome
from octavo.operations.database.results import Imported, ImportedCollection
from octavo.operations.library.collections import add, collection_name
from octavo.operations.library.requests import AddRequest
from octavo.path_resolution_and_private_folders import expand_user, real_path
from octavo_import.foreign_sqlite_file import SqliteFile

if TYPE_CHECKING:
    from octavo.observability.progress import Progress


class NoteFolder(Value):
    """`files` are those that the program's index lists, by their paths in the folder; None where it has no index."""

    root: Path
    files: frozenset[str] | None = None
    name: str = ""
    ignore: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        return self.name or collection_name(self.root)


class FolderImporter(Value):
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


_RAGDOCS = "mcp-markdown-ragdocs"
_MANIFEST = "index.manifest.json"


def ragdocs_folders(place: Path) -> tuple[NoteFolder, ...]:
    """Of the documents' folder, the index folder in it, or the folder of a configuration that names projects."""
    settings = place if place.name.lstrip(".") == _RAGDOCS else place / f".{_RAGDOCS}"
    said = _toml(settings / "config.toml")
    indexing = _mapping(said.get("indexing"))
    manifest = next((file for file in _manifests(place, indexing) if file.is_file()), None)
    if not said and manifest is None:
        return ()
    beside = settings.parent if said or manifest is None else manifest.parent.parent
    exclude = tuple(glob for glob in indexing.get("exclude", ()) if isinstance(glob, str))
    projects = [entry for entry in said.get("projects", ()) if isinstance(entry, dict) and entry.get("path")]
    if projects:
        return tuple(
            NoteFolder(_path(beside, str(entry["path"])), None, str(entry.get("name", "")), exclude)
            for entry in projects
        )
    listed = _mapping(_json(manifest).get("indexed_files")) if manifest else {}
    files = frozenset(map(str, listed.values())) if listed else None
    return (NoteFolder(_path(beside, str(indexing.get("documents_path", "."))), files, ignore=exclude),)


def _manifests(place: Path, indexing: Mapping[str, Any]) -> Iterator[Path]:
    yield place / _MANIFEST
    yield place / str(indexing.get("index_path", ".index_data")) / _MANIFEST


def msrl_folders(place: Path) -> tuple[NoteFolder, ...]:
    """Of the vault, or the `.msrl` in it. The vault's `.msrl/config.json` cuts and skips its files in any case."""
    own = place if place.name == ".msrl" else place / ".msrl"
    snapshots = own / "snapshots"
    if not snapshots.is_dir():
        return ()
    current = _text(own / "CURRENT").strip()
    names = [current] if current else sorted((entry.name for entry in snapshots.iterdir()), reverse=True)
    databases = (snapshots / name / "meta.sqlite" for name in names)
    database = next((file for file in databases if file.is_file()), None)
    files = frozenset(row[0] for row in _rows(database, "MSRL", "msrl")) if database else None
    return (NoteFolder(real_path(own).parent, files, ignore=_obsidian_filters(own.parent)),)


def basic_memory_folders(place: Path) -> tuple[NoteFolder, ...]:
    """Of `~/.basic-memory`: a folder for each project."""
    projects = _mapping(_json(place / "config.json").get("projects"))
    database = place / "memory.db"
    if not projects or not database.is_file():
        return ()
    files: dict[str, set[str]] = defaultdict(set)
    for project, path in _rows(database, "basic-memory", "basic_memory"):
        files[project].add(path)
    paths = {name: entry.get("path") if isinstance(entry, dict) else entry for name, entry in projects.items()}
    return tuple(
        NoteFolder(_path(place, str(path)), frozenset(files[name]), name) for name, path in paths.items() if path
    )


def obsidian_folders(place: Path) -> tuple[NoteFolder, ...]:
    """Of a vault. What it excludes from its own search is ignored."""
    vault = place.parent if place.name == ".obsidian" else place
    return (NoteFolder(vault, ignore=_obsidian_filters(vault)),) if (vault / ".obsidian").is_dir() else ()


def _obsidian_filters(vault: Path) -> tuple[str, ...]:
    """`Folder/` and `note.md` begin at the vault's root; a regular expression between slashes has no glob."""
    filters = _json(vault / ".obsidian" / "app.json").get("userIgnoreFilters")
    plain = (rule for rule in filters if isinstance(rule, str)) if isinstance(filters, list) else ()
    return tuple(f"/{rule}" for rule in plain if rule and not rule.startswith("/"))


RAGDOCS = FolderImporter(ragdocs_folders)
MSRL = FolderImporter(msrl_folders)
BASIC_MEMORY = FolderImporter(basic_memory_folders)
OBSIDIAN = FolderImporter(obsidian_folders)


def _rows(database: Path, program: str, query: str) -> list[tuple[Any, ...]]:
    with closing(SqliteFile(database, program, "note_indexes")) as opened:
        return opened.rows(query)


def _path(beside: Path, said: str) -> Path:
    return real_path(beside / expand_user(said))


def _text(file: Path) -> str:
    with suppress(OSError, OctavoError, UnicodeDecodeError):
        return read_small(file).decode("utf-8")
    return ""


def _json(file: Path) -> Mapping[str, Any]:
    with suppress(ValueError):
        return _mapping(json.loads(_text(file) or "{}"))
    return {}


def _toml(file: Path) -> Mapping[str, Any]:
    with suppress(tomllib.TOMLDecodeError):
        return tomllib.loads(_text(file))
    return {}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
