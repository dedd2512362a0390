"""A folder as it is on disk: every file worth indexing with its stamp, and what could not be looked at.

Nothing is opened but ignore files. Links to folders are not followed, so there are no cycles; a link to a file is
taken when its target lies inside the root and is not itself among the files. `unreadable` is what keeps a library
from losing documents to a permission error: absence counts only where a folder was actually listed (`Scan.gone`).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from recto.errors import SourceError
from recto.model.ledger import FileStamp
from recto.sources.ignore import GITIGNORE, RECTOIGNORE, Folder, IgnoreRules, top
from recto.sources.secrets import is_secret_name

Lister = Callable[[str], AbstractContextManager[Iterator["os.DirEntry[str]"]]]

_Wanted = dict[str, "_Wanted"] | None
"""The names of a folder that are looked at, each with what is looked at below it; None is everything."""

_IGNORE_FILE_LIMIT = 1 << 20
_MANY = 10  # files that do not all go at once while their folder stays
_UNMOUNTED = "is empty but older than the files indexed from it: its disk may not be mounted"


@dataclass(frozen=True, slots=True)
class SeenFile:
    """`uri` is the path from the root, with `/` and its original case; `path` is what to open."""

    uri: str
    location: str
    stamp: FileStamp

    @property
    def path(self) -> Path:
        # Made when asked for: building 14,000 of them takes longer than asking the disk about the files.
        return Path(self.location)


@dataclass(frozen=True, slots=True)
class Skipped:
    uri: str
    reason: str


@dataclass(frozen=True, slots=True)
class Scan:
    """One look at a root. Files are sorted by uri.

    `skipped` are files that a parser would read but that are refused; `unreadable` are folders and files about which
    nothing is known; `listed` are the folders that were read to the end, "" being the root, and `rooted` those of them
    that may hold a git repository. `hidden` and `ignored` count names left out by rule, a folder counting once.
    """

    files: tuple[SeenFile, ...]
    skipped: tuple[Skipped, ...]
    listed: frozenset[str]
    unreadable: tuple[Skipped, ...]
    hidden: int = 0
    ignored: int = 0
    rooted: frozenset[str] = frozenset()

    def under(self, prefix: str) -> Scan:
        """The same look, of the files whose uri starts so. What is known of folders stays: it is evidence."""
        return replace(
            self,
            files=tuple(file for file in self.files if file.uri.startswith(prefix)),
            skipped=tuple(entry for entry in self.skipped if entry.uri.startswith(prefix)),
        )

    def gone(self, uri: str) -> bool:
        """Whether there is evidence that `uri`, not among the files seen, is no longer to be indexed.

        The nearest folder above it that was looked at decides: if that one was listed, the file or a folder on the
        way to it was absent or left out by rule; if it could not be listed, nothing is known.
        """
        doubtful = {entry.uri for entry in self.unreadable}
        while uri not in doubtful:
            if not uri:
                return "" in self.listed
            uri = uri.rpartition("/")[0]
            if uri in self.listed:
                return True
        return False


def scan(
    root: Path,
    rules: IgnoreRules,
    known: Mapping[str, FileStamp] | None = None,
    *,
    paths: Sequence[str] | None = None,
    lister: Lister = os.scandir,
) -> Scan:
    """Everything under `root` that the rules let through. `known` is what the ledger holds, to tell an emptied
    folder from one whose disk is not mounted.

    With `paths`, only what lies at and below them: folders on the way are listed, and nothing else in them looked at.
    """
    real_root = _root(root)
    walk = _Walk(real_root, lister)
    walk.through(top(rules), None if paths is None else _tree(paths))
    if paths is not None and walk.links:
        # Whether a link is indexed depends on whether its target is: that is looked at as well, and left out again.
        targets = [target for _, target in walk.links]
        walk = _Walk(real_root, lister)
        walk.through(top(rules), _tree([*paths, *targets]))
    if "" not in walk.listed:
        reason = walk.unreadable[0].reason if walk.unreadable else "it could not be listed"
        raise SourceError(f"cannot read {root}: {reason}", hint="check its permissions; nothing was changed")
    if known and walk.empty:
        walk.doubt_unmounted(known)
        if "" not in walk.listed:
            raise SourceError(
                f"the folder {root} {_UNMOUNTED}",
                hint="mount it again; if its files are really gone, take the collection out with `recto remove`",
            )
    if known and len(known) >= _MANY and paths is None and not walk.files and not walk.links:
        # A person empties a folder of so many files seldom; a disk that is not there does it at once.
        raise SourceError(
            f"the folder {root} holds none of the {len(known):,} files it had: its disk may not be mounted",
            hint="mount it again; if its files are really gone, take the collection out with `recto remove`",
        )
    walk.settle_links()
    if paths is not None:
        walk.confine(paths)
    return Scan(
        files=tuple(sorted(walk.files, key=lambda file: file.uri)),
        skipped=tuple(sorted(walk.skipped, key=lambda entry: entry.uri)),
        listed=frozenset(walk.listed),
        unreadable=tuple(sorted(walk.unreadable, key=lambda entry: entry.uri)),
        hidden=walk.hidden,
        ignored=walk.ignored,
        rooted=frozenset(walk.rooted),
    )


_BARE = frozenset({"HEAD", "objects", "refs"})
"""What git itself tells a bare repository by."""


class _Walk:
    """What has been seen so far on the way through one root."""

    def __init__(self, root: str, lister: Lister) -> None:
        self.base = root if root.endswith(os.sep) else root + os.sep
        self.lister = lister
        self.files: list[SeenFile] = []
        self.links: list[tuple[SeenFile, str]] = []
        self.skipped: list[Skipped] = []
        self.unreadable: list[Skipped] = []
        self.listed: set[str] = set()
        self.rooted: set[str] = set()
        self.empty: list[str] = []
        self.hidden = self.ignored = 0

    def through(self, folder: Folder, wanted: _Wanted) -> None:
        pending = [(folder, wanted)]
        while pending:
            pending += self.visit(*pending.pop())

    def visit(self, folder: Folder, wanted: _Wanted) -> list[tuple[Folder, _Wanted]]:
        """Takes note of one folder's files; returns the folders below it that are to be visited."""
        here = folder.prefix[:-1]
        entries: list[os.DirEntry[str]] = []
        try:
            with self.lister(self.base + here) as listing:
                entries.extend(listing)
            names = {entry.name for entry in entries}
            if GITIGNORE in names or RECTOIGNORE in names:
                folder = folder.with_ignore_files(
                    self._ignore_file(entries, GITIGNORE), self._ignore_file(entries, RECTOIGNORE)
                )
        except OSError as error:
            self.unreadable.append(Skipped(here, _reason(error)))
            return []
        self.listed.add(here)
        # Seen here for nothing; looking again into every folder takes longer than all of this.
        bare = names >= _BARE and ".git" not in names
        if ".git" in names or bare:
            self.rooted.add(here)
        if bare:
            # What git keeps is no document, wherever it keeps it: objects by the thousand, and hooks nobody wrote.
            return []
        if not entries:
            self.empty.append(here)
        below: list[tuple[Folder, _Wanted]] = []
        for entry in entries:
            if wanted is None:
                self._entry(folder, entry, names, below, None)
            elif entry.name in wanted:
                self._entry(folder, entry, names, below, wanted[entry.name])
        return below

    def _entry(
        self,
        folder: Folder,
        entry: os.DirEntry[str],
        names: set[str],
        below: list[tuple[Folder, _Wanted]],
        wanted: _Wanted,
    ) -> None:
        name = entry.name
        try:
            if entry.is_dir(follow_symlinks=False):
                inner = folder.enter(name, names)
                if inner is None:
                    self._left_out(name)
                elif _speakable(name):
                    below.append((inner, wanted))
                else:
                    self._skip(folder, name, "its name is not valid UTF-8")
            elif entry.is_symlink() and Path(entry.path).is_dir():
                if folder.enter(name, names) is not None:
                    self._skip(folder, name, "a link to a folder is not followed")
            elif not folder.readable(name):
                return
            elif not folder.takes(name):
                self._left_out(name)
            else:
                self._file(folder, entry)
        except OSError as error:
            self.unreadable.append(Skipped(folder.prefix + _shown(name), _reason(error)))

    def _file(self, folder: Folder, entry: os.DirEntry[str]) -> None:
        name = entry.name
        if not _speakable(name):
            return self._skip(folder, name, "its name is not valid UTF-8")
        uri = folder.prefix + name
        secret = is_secret_name(uri)
        if secret is not None:
            return self._skip(folder, name, secret)
        if entry.is_symlink():
            return self._link(folder, entry)
        status = entry.stat(follow_symlinks=False)
        problem = _problem(status, folder.rules.max_bytes)
        if problem is not None:
            return self._skip(folder, name, problem)
        stamp = FileStamp(status.st_size, status.st_mtime_ns, status.st_ino)
        return self.files.append(SeenFile(uri, entry.path, stamp))

    def _link(self, folder: Folder, entry: os.DirEntry[str]) -> None:
        name = entry.name
        try:
            target = os.path.realpath(entry.path, strict=True)
            status = Path(target).stat()
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ELOOP, errno.ENOTDIR):
                raise
            return self._skip(folder, name, "a link that leads nowhere")
        if not target.startswith(self.base):
            return self._skip(folder, name, "a link out of the collection's folder")
        inside = target[len(self.base) :].replace(os.sep, "/")
        problem = is_secret_name(inside) or _problem(status, folder.rules.max_bytes)
        if problem is not None:
            return self._skip(folder, name, problem)
        stamp = FileStamp(status.st_size, status.st_mtime_ns, status.st_ino)
        return self.links.append((SeenFile(folder.prefix + name, target, stamp), inside))

    def settle_links(self) -> None:
        """A file is indexed once: under its own path if it is scanned there, else under the first link to it."""
        taken = {file.uri: file.uri for file in self.files}
        for file, target in sorted(self.links, key=lambda pair: pair[0].uri):
            first = taken.setdefault(target, file.uri)
            if first == file.uri:
                self.files.append(file)
            else:
                self.skipped.append(Skipped(file.uri, f"a link to {target}, indexed as {first}"))

    def confine(self, paths: Sequence[str]) -> None:
        within = _within(paths)
        self.files = [file for file in self.files if within(file.uri)]
        self.skipped = [entry for entry in self.skipped if within(entry.uri)]

    def doubt_unmounted(self, known: Mapping[str, FileStamp]) -> None:
        """Emptying a folder touches it; a mount point without its disk is older than the files that were on it."""
        newest: dict[str, int] = {}
        for uri, stamp in known.items():
            while uri:
                uri = uri.rpartition("/")[0]
                newest[uri] = max(newest.get(uri, 0), stamp.mtime_ns)
        for folder in self.empty:
            if folder in newest and _modified(self.base + folder) < newest[folder]:
                self.listed.discard(folder)
                self.unreadable.append(Skipped(folder, _UNMOUNTED))

    def _ignore_file(self, entries: list[os.DirEntry[str]], name: str) -> bytes:
        for entry in entries:
            if entry.name == name and entry.is_file(follow_symlinks=False):
                with Path(entry.path).open("rb") as file:
                    return file.read(_IGNORE_FILE_LIMIT)
        return b""

    def _left_out(self, name: str) -> None:
        if name[0] == ".":
            self.hidden += 1
        else:
            self.ignored += 1

    def _skip(self, folder: Folder, name: str, reason: str) -> None:
        self.skipped.append(Skipped(folder.prefix + _shown(name), reason))


def _tree(paths: Iterable[str]) -> _Wanted:
    """The names to look at, folder by folder; None where everything is looked at."""
    tree: dict[str, _Wanted] = {}
    for path in sorted(paths):
        if not path:
            return None
        branch = tree
        *above, last = path.split("/")
        for name in above:
            inner = branch.setdefault(name, {})
            if inner is None:
                break
            branch = inner
        else:
            branch[last] = None
    return tree


def _within(paths: Iterable[str]) -> Callable[[str], bool]:
    """Whether a uri is one of the paths or lies below one."""
    known = frozenset(paths)

    def within(uri: str) -> bool:
        while uri:
            if uri in known:
                return True
            uri = uri.rpartition("/")[0]
        return "" in known

    return within


def _root(root: Path) -> str:
    try:
        real = os.path.realpath(root, strict=True)
        mode = Path(real).stat().st_mode
    except FileNotFoundError as error:
        raise SourceError(
            f"the folder {root} is not there",
            hint="mount or restore it, or take the collection out with `recto remove`; nothing was changed",
        ) from error
    except OSError as error:
        raise SourceError(
            f"cannot read {root}: {_reason(error)}", hint="check its permissions; nothing was changed"
        ) from error
    if not stat.S_ISDIR(mode):
        raise SourceError(f"{root} is not a folder", hint="a collection's root is a folder: name the one that holds it")
    return real


def _modified(path: str) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except OSError:
        return 0


def _problem(status: os.stat_result, max_bytes: int) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    if status.st_size > max_bytes:
        return f"too large: {status.st_size:,} bytes, the limit is {max_bytes:,}"
    return None


def _speakable(name: str) -> bool:
    """Whether a file name can be written as UTF-8; POSIX names are any bytes."""
    if name.isascii():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _shown(name: str) -> str:
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode("utf-8")


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "it vanished while being scanned"
    return (error.strerror or str(error)).lower()
