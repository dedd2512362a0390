"""The folder of a library's snapshots: built in a temporary folder, renamed into place, pointed at by CURRENT.

library.db.snapshots/PROJECT/
  CURRENT                   the id of the snapshot in use
  LOCK                      locked by the process that builds
  20260220T230501Z-1f/      manifest.json, lexical-*.seg, shard_*.vec, …
  20260220T230501Z-2a.building/
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.errors import Busy, DamagedSnapshot, StorageError
from octavo.model.ids import SnapshotId
from octavo.path_resolution_and_private_folders import make_folder

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

if TYPE_CHECKING:
    # Every library has the path of such a folder, few have the folder.
    from octavo.model.search_snapshot import FileEntry, Manifest

CURRENT, MANIFEST, BUILDING = "CURRENT", "manifest.json", ".building"
_FICLONE = 0x40049409  # ioctl of Linux: share blocks, copy on write


class SnapshotFolder:
    """Lists, publishes and removes snapshots, each change atomic. Knows nothing of what the files contain."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._current = f"{root}/{CURRENT}"

    def current_id(self) -> SnapshotId | None:
        """The id in CURRENT, if it could be a snapshot's."""
        try:
            text = (self.root / CURRENT).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return SnapshotId(text) if text and (self.root / text).parent == self.root and text != ".." else None

    def stamp(self) -> tuple[int, int] | None:
        """Changes whenever CURRENT is switched; cheap enough to check before every search."""
        try:
            seen = os.stat(self._current)  # noqa: PTH116 (several times in a search: a Path takes as long again)
        except OSError:
            return None
        return seen.st_ino, seen.st_mtime_ns

    def ids(self) -> tuple[SnapshotId, ...]:
        """Finished snapshots, newest first."""
        with suppress(OSError):
            names = [
                entry.name for entry in self.root.iterdir() if entry.is_dir() and not entry.name.endswith(BUILDING)
            ]
            return tuple(SnapshotId(name) for name in sorted(names, reverse=True))
        return ()

    def path(self, snapshot: SnapshotId) -> Path:
        return self.root / snapshot

    def manifest(self, snapshot: SnapshotId) -> Manifest:
        """Its manifest, if every file it lists exists with its full size."""
        from octavo.model.search_snapshot import Manifest

        folder = self.path(snapshot)
        try:
            manifest = Manifest.from_json((folder / MANIFEST).read_text("utf-8"))
            for name, entry in manifest.files.items():
                if not (folder / name).is_file():
                    missing = tuple(other for other in manifest.files if not (folder / other).is_file())
                    raise damaged(folder, f"{name} is missing", files=missing)
                size = (folder / name).stat().st_size
                if size != entry.size:
                    raise damaged(folder, f"{name} has {size} bytes, not {entry.size}", files=(name,))
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise damaged(folder, error) from error
        return manifest

    def verify(self, snapshot: SnapshotId) -> Manifest:
        """Its manifest, if the checksum of every file matches."""
        manifest = self.manifest(snapshot)
        for name, entry in manifest.files.items():
            try:
                same = digest(self.path(snapshot) / name) == entry.sha256
            except OSError as error:
                raise damaged(self.path(snapshot), error, files=(name,)) from error
            if not same:
                raise damaged(self.path(snapshot), f"{name} has changed since it was written", files=(name,))
        return manifest

    @contextmanager
    def building(self, snapshot: SnapshotId) -> Iterator[Path]:
        """A temporary folder to build in, under an exclusive lock; it is removed afterwards in any case."""
        with self._locked():
            self._sweep()
            folder = self.root / f"{snapshot}{BUILDING}"
            try:
                folder.mkdir(mode=0o700)
                yield folder
            except OSError as error:
                raise StorageError(
                    f"the snapshot could not be written: {error.strerror or error}",
                    hint="free some space on the disk of the library; searches go on without it",
                ) from error
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def publish(self, built: Path, manifest: Manifest, record: Callable[[], None]) -> None:
        """Renames the built snapshot, records it in the library and makes it current."""
        place = self.path(manifest.id)
        (built / MANIFEST).write_text(manifest.to_json(), "utf-8")
        for path in built.rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
        _fsync(built / MANIFEST)
        _fsync(built)
        built.rename(place)
        _fsync(self.root)
        record()
        self.switch(manifest.id)

    def switch(self, snapshot: SnapshotId) -> None:
        """One atomic rename: readers of CURRENT see the old snapshot or the new one."""
        fresh = self.root / f"{CURRENT}.{os.getpid()}"
        fresh.write_text(f"{snapshot}\n", "utf-8")
        fresh.chmod(0o600)
        _fsync(fresh)
        fresh.replace(self.root / CURRENT)
        _fsync(self.root)

    def clear_current(self) -> None:
        """Leaves no snapshot current: searches use the database alone."""
        (self.root / CURRENT).unlink(missing_ok=True)

    def remove(self, snapshot: SnapshotId) -> bool:
        """Whether it is gone. Readers keep open files; where the system forbids that, a later call removes it."""
        shutil.rmtree(self.path(snapshot), ignore_errors=True)
        return not self.path(snapshot).exists()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """An exclusive lock: no other process builds, switches or removes meanwhile."""
        with self._locked():
            self._sweep()
            yield

    def busy(self) -> bool:
        """Whether another process is building, switching or removing."""
        try:
            with (self.root / "LOCK").open("rb") as file:
                return not _lock(file.fileno())
        except OSError:
            return False

    def _sweep(self) -> None:
        """Removes leftovers of crashed builders. The lock is held, so none of them is in use."""
        for entry in self.root.iterdir():
            if entry.name.endswith(BUILDING):
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name.startswith((f"{CURRENT}.", "VERIFIED.")):
                entry.unlink(missing_ok=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            make_folder(self.root)
            file = os.fdopen(os.open(self.root / "LOCK", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+b")
        except OSError as error:
            raise StorageError(f"{self.root} cannot be written: {error.strerror or error}") from error
        with file:
            if not _lock(file.fileno()):
                raise Busy(f"another process is building a snapshot in {self.root}", hint="try again when it is done")
            yield


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def entries(folder: Path, carried: Mapping[str, FileEntry]) -> dict[str, FileEntry]:
    """Every file of a folder with its size and hash; those of carried files are known."""
    from octavo.model.search_snapshot import FileEntry

    files = {}
    for path in sorted(folder.iterdir()):
        known = carried.get(path.name)
        files[path.name] = known or FileEntry(path.stat().st_size, digest(path))
    return files


def carry(source: Path, target: Path, *, copy: bool = False) -> None:
    """The same file in another folder: a clone where the file system has copy on write, else a hard link, else a copy.

    Damage to a file is damage to all its hard links; with `copy` each snapshot has bytes of its own.
    """
    if _cloned(source, target):
        _fsync(target)
        return
    try:
        if copy:
            raise OSError
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
        _fsync(target)


def _cloned(source: Path, target: Path) -> bool:
    """Whether the target now shares the source's blocks until either is written to (FICLONE of Linux)."""
    if sys.platform != "linux":
        return False
    try:
        with source.open("rb") as given, target.open("xb") as taken:
            fcntl.ioctl(taken.fileno(), _FICLONE, given.fileno())
    except OSError:
        target.unlink(missing_ok=True)
        return False
    return True


def _fsync(path: Path) -> None:
    # Windows cannot open folders; there a rename is on disk once it returns.
    with suppress(PermissionError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _lock(handle: int) -> bool:
    """Whether this process got the lock; it is released when the process ends, however it ends."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def damaged(folder: Path, what: object, *, files: tuple[str, ...] = ()) -> DamagedSnapshot:
    return DamagedSnapshot(
        f"the snapshot {folder.name} is damaged: {what}",
        hint="run `octavo snapshots build` to make it anew",
        details={"snapshot": folder.name, "reason": str(what), "missing_files": list(files)},
    )
