"""The folder of a library's snapshots: built aside, renamed into place, pointed at by CURRENT.

library.db.snapshots/PROJECT/
  CURRENT                   the id of the snapshot in use
  LOCK                      held by whoever builds
  20260220T230501Z-1f/      manifest.json, lexical-*.seg, shard_*.vec, …
  20260220T230501Z-2a.building/
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from recto.errors import Busy, DamagedSnapshot, StorageError
from recto.model.ids import SnapshotId

if TYPE_CHECKING:
    # Every library has such a folder in mind, few have one.
    from recto.model.snapshot import FileEntry, Manifest

CURRENT, MANIFEST, BUILDING = "CURRENT", "manifest.json", ".building"
_AT_ONCE = 1 << 20


class SnapshotFolder:
    """Says what is there and makes changes that are whole or did not happen. Knows nothing of what the files mean."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def current_id(self) -> SnapshotId | None:
        """What CURRENT says, if it says anything that could be a snapshot."""
        try:
            text = (self.root / CURRENT).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return SnapshotId(text) if text and (self.root / text).parent == self.root and text != ".." else None

    def stamp(self) -> tuple[int, int] | None:
        """Changes whenever CURRENT is switched; cheap enough to ask before every search."""
        try:
            seen = (self.root / CURRENT).stat()
        except OSError:
            return None
        return seen.st_ino, seen.st_mtime_ns

    def ids(self) -> tuple[SnapshotId, ...]:
        """Finished snapshots, newest first."""
        with suppress(OSError):
            found = [one.name for one in self.root.iterdir() if one.is_dir() and not one.name.endswith(BUILDING)]
            return tuple(SnapshotId(name) for name in sorted(found, reverse=True))
        return ()

    def path(self, snapshot: SnapshotId) -> Path:
        return self.root / snapshot

    def manifest(self, snapshot: SnapshotId) -> Manifest:
        """Its manifest, if every file it lists is there in its full size."""
        from recto.model.snapshot import Manifest

        folder = self.path(snapshot)
        try:
            manifest = Manifest.from_json((folder / MANIFEST).read_text("utf-8"))
            for name, entry in manifest.files.items():
                size = (folder / name).stat().st_size
                if size != entry.size:
                    raise ValueError(f"{name} has {size} bytes, not {entry.size}")
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise _damaged(folder, error) from error
        return manifest

    def verify(self, snapshot: SnapshotId) -> Manifest:
        """Its manifest, if every byte of every file is what it was."""
        manifest = self.manifest(snapshot)
        for name, entry in manifest.files.items():
            try:
                same = digest(self.path(snapshot) / name) == entry.sha256
            except OSError as error:
                raise _damaged(self.path(snapshot), error) from error
            if not same:
                raise _damaged(self.path(snapshot), f"{name} has changed since it was written")
        return manifest

    @contextmanager
    def building(self, snapshot: SnapshotId) -> Iterator[Path]:
        """A folder to build in, and nobody else building. Whatever goes wrong, nothing is left of it."""
        with self._locked():
            self._sweep()
            folder = self.root / f"{snapshot}{BUILDING}"
            try:
                folder.mkdir()
                yield folder
            except OSError as error:
                raise StorageError(
                    f"the snapshot could not be written: {error.strerror or error}",
                    hint="free some space on the disk of the library; searches go on without it",
                ) from error
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def publish(self, built: Path, manifest: Manifest, entered: Callable[[], None]) -> None:
        """Renames what was built, enters it in the library and makes it current."""
        place = self.path(manifest.id)
        (built / MANIFEST).write_text(manifest.to_json(), "utf-8")
        _to_disk(built / MANIFEST)
        _to_disk(built)
        built.rename(place)
        _to_disk(self.root)
        entered()
        self.switch(manifest.id)

    def switch(self, snapshot: SnapshotId) -> None:
        """One rename: whoever reads CURRENT sees the old snapshot or the new one."""
        fresh = self.root / f"{CURRENT}.{os.getpid()}"
        fresh.write_text(f"{snapshot}\n", "utf-8")
        _to_disk(fresh)
        fresh.replace(self.root / CURRENT)
        _to_disk(self.root)

    def point_nowhere(self) -> None:
        """No snapshot is current: the library answers by itself."""
        (self.root / CURRENT).unlink(missing_ok=True)

    def remove(self, snapshot: SnapshotId) -> bool:
        """Whether it is gone. Readers keep what they hold open; where the system forbids that, it waits its turn."""
        shutil.rmtree(self.path(snapshot), ignore_errors=True)
        return not self.path(snapshot).exists()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Nobody builds, switches or removes meanwhile."""
        with self._locked():
            self._sweep()
            yield

    def busy(self) -> bool:
        """Whether somebody builds, switches or removes at this moment."""
        try:
            with (self.root / "LOCK").open("rb") as file:
                return not _lock(file.fileno())
        except OSError:
            return False

    def _sweep(self) -> None:
        """What builders left that did not live to clear it away. The lock is held, so none of it is in use."""
        for one in self.root.iterdir():
            if one.name.endswith(BUILDING):
                shutil.rmtree(one, ignore_errors=True)
            elif one.name.startswith(f"{CURRENT}."):
                one.unlink(missing_ok=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            file = (self.root / "LOCK").open("a+b")
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
    """Every file of a folder with its size and hash; of those carried over both are known."""
    from recto.model.snapshot import FileEntry

    found = {}
    for path in sorted(folder.iterdir()):
        known = carried.get(path.name)
        found[path.name] = known or FileEntry(path.stat().st_size, digest(path))
    return found


def carry(source: Path, target: Path) -> None:
    """The same file in another folder: a link where the file system can, or else a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
        _to_disk(target)


def _to_disk(path: Path) -> None:
    # Windows opens no folders; there a rename is on disk once it returns.
    with suppress(PermissionError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _lock(handle: int) -> bool:
    """Whether the file is now locked by this process; the lock ends with the process, however it ends."""
    try:
        import fcntl
    except ImportError:
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _damaged(folder: Path, what: object) -> DamagedSnapshot:
    return DamagedSnapshot(
        f"the snapshot {folder.name} is damaged: {what}", hint="run `recto snapshot build` to make it anew"
    )
