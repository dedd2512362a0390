"""Every file of a snapshot is hashed before a process first uses it; once for a file, its size and its times.

What was found whole is recorded next to the snapshots, so that the next process need not read a gigabyte again: any
write moves a file's modification or change time, and then it is hashed again.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.search_snapshots.folder import damaged, digest

if TYPE_CHECKING:
    from octavo.model.search_snapshot import FileEntry

RECORD = "VERIFIED"
RACY_NS = 2_000_000_000  # a file changed so recently may change again without its times moving

Stamp = tuple[int, int, int, int]


class VerifiedFiles:
    """The files of a folder of snapshots that were read and found whole."""

    def __init__(self, root: Path, clock_ns: Callable[[], int] = time.time_ns) -> None:
        self._record = root / RECORD
        self._clock_ns = clock_ns
        self._lock = threading.Lock()
        self._known: dict[str, Stamp] | None = None

    def check(self, path: Path, entry: FileEntry) -> None:
        """Raises `DamagedSnapshot` unless the file is the one that was written."""
        try:
            stamp = _stamp(path)
            with self._lock:
                if self._stamps().get(_name(path)) == stamp:
                    return
            if stamp[0] != entry.size or digest(path) != entry.sha256:
                raise damaged(path.parent, f"{path.name} has changed since it was written", files=(path.name,))
            if _stamp(path) == stamp:
                self._note(path, stamp)
        except OSError as error:
            raise damaged(path.parent, f"{path.name}: {error.strerror or error}", files=(path.name,)) from error

    def _note(self, path: Path, stamp: Stamp) -> None:
        if self._clock_ns() - max(stamp[1], stamp[2]) < RACY_NS:
            return
        with self._lock, suppress(OSError):  # a folder that cannot be written only costs the next process the reading
            known = {**self._read(), **self._stamps(), _name(path): stamp}
            folders = {entry.name for entry in self._record.parent.iterdir() if entry.is_dir()}
            self._known = {name: seen for name, seen in known.items() if name.partition("/")[0] in folders}
            fresh = self._record.with_name(f"{RECORD}.{os.getpid()}-{threading.get_ident()}")
            fresh.write_text(json.dumps(self._known, indent=1, sort_keys=True), "utf-8")
            fresh.chmod(0o600)
            fresh.replace(self._record)

    def _stamps(self) -> dict[str, Stamp]:
        if self._known is None:
            self._known = self._read()
        return self._known

    def _read(self) -> dict[str, Stamp]:
        try:
            body = json.loads(self._record.read_text("utf-8"))
            return {str(name): (int(a), int(b), int(c), int(d)) for name, (a, b, c, d) in body.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}


def written_at(path: Path) -> tuple[int, int, int] | None:
    """Changes when somebody writes to the file or puts another in its place; a new hard link leaves it as it is."""
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_size, seen.st_mtime_ns, seen.st_ino


def _stamp(path: Path) -> Stamp:
    seen = path.stat()
    return seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
