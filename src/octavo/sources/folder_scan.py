"""Scanning a folder: every file to index with its stat stamp, and everything that could not be read.

Only ignore files are opened. Links to folders are not followed, so there are no cycles; a link to a file is indexed
when its target lies inside the root and is not itself indexed. `unreadable` keeps a library from losing documents to
a permission error: a file counts as absent only where its folder was actually listed (`Scan.gone`).
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from operator import attrgetter
from pathlib import Path

from octavo.errors import SourceError
from octavo.model.folder_scan import KnownFiles, Scan, SeenFile, SkippedFile
from octavo.model.indexing_ledger import FileStamp
from octavo.sources.ignore_rules import IGNORE_FILES, FileName, FolderRules, IgnoreRules, ignore_file, root_rules
from octavo.sources.partial_scan_paths import PathTree, path_tree, within
from octavo.sources.secret_file_names import is_secret_name
from octavo.sources.unmounted_folder_detection import OTHER_DISK, device_above, unmounted

Lister = Callable[[str], AbstractContextManager[Iterator["os.DirEntry[str]"]]]

_MANY = 10  # files that are not all deleted at once while their folder stays
_UNMOUNTED = "is empty but older than the files indexed from it: its disk may not be mounted"
_UNTOUCHED = "holds none of the files it had, though nothing in it was deleted: its disk may not be mounted"
_CONFIRM = "mount it again; if its files are really gone, run `octavo index --confirm-removals`"
_TICK = 0.02  # seconds by which a file system's clock may lag behind


def scan(
    root: Path,
    rules: IgnoreRules,
    known: Mapping[str, FileStamp] | None = None,
    *,
    paths: Sequence[str] | None = None,
    lister: Lister = os.scandir,
) -> Scan:
    """Everything under `root` that the rules accept. `known` is what the ledger has recorded, to distinguish an
    emptied folder from one whose disk is not mounted.

    With `paths`, only what is at or below them: folders on the way are listed, everything else in them is skipped.
    """
    real_root = _root(root)
    walk = _Walk(real_root, lister)
    walk.through(root_rules(rules), None if paths is None else path_tree(paths))
    if paths is not None and walk.links:
        # Whether a link is indexed depends on whether its target is, so targets are scanned too and removed again.
        targets = [target for _, target in walk.links]
        walk = _Walk(real_root, lister)
        walk.through(root_rules(rules), path_tree([*paths, *targets]))
    if "" not in walk.listed:
        reason = walk.unreadable[0].reason if walk.unreadable else "it could not be listed"
        raise SourceError(f"cannot read {root}: {reason}", hint="check its permissions; nothing was changed")
    if known and not (isinstance(known, KnownFiles) and known.confirmed):
        seen = {file.uri for file in walk.files}
        missing = {uri: stamp for uri, stamp in known.items() if uri not in seen}
        walk.doubt_unmounted(missing)
        if isinstance(known, KnownFiles) and known.checked_at is not None:
            walk.doubt_untouched(missing, (uri for uri in known if uri in seen), known.checked_at)
        walk.doubt_other_disk(missing, seen)
        if "" not in walk.listed:
            raise SourceError(f"the folder {root} {walk.unreadable[-1].reason}", hint=_CONFIRM)
        if len(known) >= _MANY and paths is None and not (walk.files or walk.links or any(map(walk.is_there, known))):
            # People seldom delete so many files at once; an unmounted disk does. What is there and ignored is mounted.
            raise SourceError(
                f"the folder {root} holds none of the {len(known):,} files it had: its disk may not be mounted",
                hint=_CONFIRM,
            )
    walk.resolve_links()
    if paths is not None:
        walk.confine(paths)
    return Scan(
        files=tuple(sorted(walk.files, key=attrgetter("uri"))),
        skipped=tuple(sorted(walk.skipped, key=attrgetter("uri"))),
        listed=frozenset(walk.listed),
        unreadable=tuple(sorted(walk.unreadable, key=lambda entry: entry.uri)),
        hidden=walk.hidden,
        ignored=walk.ignored,
        rooted=frozenset(walk.rooted),
        rules_digest=_rules_digest(rules, walk.ignore_files),
    )


_BARE = frozenset({"HEAD", "objects", "refs"})
"""The names by which git itself recognises a bare repository."""


class _Walk:
    """The state of a scan in progress."""

    def __init__(self, root: str, lister: Lister) -> None:
        self.base = root if root.endswith(os.sep) else root + os.sep
        self.lister = lister
        self.files: list[SeenFile] = []
        self.links: list[tuple[SeenFile, str]] = []
        self.skipped: list[SkippedFile] = []
        self.unreadable: list[SkippedFile] = []
        self.listed: set[str] = set()
        self.rooted: set[str] = set()
        self.empty: list[str] = []
        self.device = device_above(root)
        self.elsewhere: set[str] = set()
        self.ignore_files: dict[str, tuple[bytes, bytes]] = {}
        self.hidden = self.ignored = self.pattern_cost = 0

    def through(self, folder: FolderRules, wanted: PathTree) -> None:
        pending = [(folder, wanted)]
        while pending:
            pending += self.visit(*pending.pop())

    def visit(self, folder: FolderRules, wanted: PathTree) -> list[tuple[FolderRules, PathTree]]:
        """Records the files of one folder; returns the folders below it that are still to be visited."""
        here = folder.prefix[:-1]
        path = self.base + here
        try:
            with self.lister(path) as listing:
                entries = list(listing)
            names = {entry.name for entry in entries}
            if os.stat(path).st_dev != self.device:  # noqa: PTH116 (a path for each folder takes longer)
                self.elsewhere.add(here)
            if not names.isdisjoint(IGNORE_FILES):
                git, *own = (self._ignore_lines(folder, name, names) for name in IGNORE_FILES)
                self.ignore_files[here] = git, b"\n".join(filter(None, own))
                folder = folder.with_ignore_files(*self.ignore_files[here])
        except OSError as error:
            self.unreadable.append(SkippedFile(here, _reason(error)))
            return []
        self.listed.add(here)
        # Detected here for free; a second pass over all folders takes longer than the whole scan.
        bare = names >= _BARE and ".git" not in names
        if (".git" in names or bare) and not folder.hides_everything():
            self.rooted.add(here)
        if bare:
            # Git's own files are not documents: objects by the thousand, and hooks that nobody wrote.
            return []
        if not entries:
            self.empty.append(here)
        below: list[tuple[FolderRules, PathTree]] = []
        by_name = folder.by_name if folder.names_decide() else None
        for entry in entries:
            name = entry.name
            if wanted is not None and name not in wanted:
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    inner = folder.enter(name, names)
                    if inner is None:
                        self._count_ignored(name)
                    elif _is_utf8(name):
                        below.append((inner, None if wanted is None else wanted[name]))
                    else:
                        self._skip(folder, name, "its name is not valid UTF-8")
                elif by_name is None or not (verdict := by_name(name)).plain or not self._plain(folder, entry, verdict):
                    self._entry(folder, entry, names)
            except OSError as error:
                self.unreadable.append(SkippedFile(folder.prefix + _shown(name), _reason(error)))
        return below

    def _plain(self, folder: FolderRules, entry: os.DirEntry[str], verdict: FileName) -> bool:
        """Records a regular file that its name alone admits, as nearly all are; false for anything else."""
        status = entry.stat(follow_symlinks=False)
        regular = stat.S_ISREG(status.st_mode) and status.st_size <= verdict.most_bytes
        if regular:
            self._seen(folder, entry, status)
        return regular

    def _entry(self, folder: FolderRules, entry: os.DirEntry[str], names: set[str]) -> None:
        name = entry.name
        if entry.is_symlink() and Path(entry.path).is_dir() and folder.enter(name, names) is not None:
            self._skip(folder, name, "a link to a folder is not followed")
        elif not folder.readable(name):
            self._leave_out(folder, name)
        elif not folder.admits(name):
            self._count_ignored(name)
        else:
            self._file(folder, entry)

    def _leave_out(self, folder: FolderRules, name: str) -> None:
        reason = folder.left_out(name)
        if reason is not None:
            self._skip(folder, name, is_secret_name(folder.prefix + name) or reason)

    def _file(self, folder: FolderRules, entry: os.DirEntry[str]) -> None:
        name = entry.name
        if not _is_utf8(name):
            return self._skip(folder, name, "its name is not valid UTF-8")
        secret = folder.secret(name)
        if secret is not None:
            return self._skip(folder, name, secret)
        if entry.is_symlink():
            return self._link(folder, entry)
        status = entry.stat(follow_symlinks=False)
        problem = _problem(status, folder.by_name(name).most_bytes)
        if problem is not None:
            return self._skip(folder, name, problem)
        return self._seen(folder, entry, status)

    def _seen(self, folder: FolderRules, entry: os.DirEntry[str], status: os.stat_result) -> None:
        inode = -status.st_ino if folder.prefix[:-1] in self.elsewhere else status.st_ino
        stamp = FileStamp(status.st_size, status.st_mtime_ns, inode)
        self.files.append(SeenFile(folder.prefix + entry.name, entry.path, stamp))

    def _link(self, folder: FolderRules, entry: os.DirEntry[str]) -> None:
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
        problem = is_secret_name(inside) or _problem(status, folder.by_name(name).most_bytes)
        if problem is not None:
            return self._skip(folder, name, problem)
        stamp = FileStamp(status.st_size, status.st_mtime_ns, status.st_ino)
        return self.links.append((SeenFile(folder.prefix + name, target, stamp), inside))

    def resolve_links(self) -> None:
        """A file is indexed once: under its own path if that is scanned, else under the first link to it."""
        indexed_as = {file.uri: file.uri for file in self.files} if self.links else {}
        for file, target in sorted(self.links, key=lambda pair: pair[0].uri):
            first = indexed_as.setdefault(target, file.uri)
            if first == file.uri:
                self.files.append(file)
            else:
                self.skipped.append(SkippedFile(file.uri, f"a link to {target}, indexed as {first}"))

    def confine(self, paths: Sequence[str]) -> None:
        is_within = within(paths)
        self.files = [file for file in self.files if is_within(file.uri)]
        self.skipped = [entry for entry in self.skipped if is_within(entry.uri)]

    def doubt_unmounted(self, missing: Mapping[str, FileStamp]) -> None:
        """Deleting files updates a folder's mtime; a mount point without its disk is older than the files it had."""
        newest: dict[str, int] = {}
        for uri, stamp in missing.items():
            while uri:
                uri = uri.rpartition("/")[0]
                newest[uri] = max(newest.get(uri, 0), stamp.mtime_ns)
        for folder in self.empty:
            if folder in newest and _modified(self.base + folder) < newest[folder]:
                self.listed.discard(folder)
                self.unreadable.append(SkippedFile(folder, _UNMOUNTED))

    def doubt_untouched(self, missing: Iterable[str], present: Iterable[str], checked_at: float) -> None:
        """A folder that lost all it had, and has not been modified since that was last seen, was not emptied."""
        lost: dict[str, set[str]] = {}
        for uri in missing:
            folder, name = self._nearest_listed(uri)
            lost.setdefault(folder, set()).add(name)
        kept = {self._nearest_listed(uri)[0] for uri in present} if lost else set[str]()
        for folder, names in lost.items():
            if folder in kept or folder not in self.listed:
                continue
            if _modified(self.base + folder) <= (checked_at - _TICK) * 1e9 and not self._any_there(folder, names):
                self.listed.discard(folder)
                self.unreadable.append(SkippedFile(folder, _UNTOUCHED))

    def _nearest_listed(self, uri: str) -> tuple[str, str]:
        """The nearest folder above a file that was listed, and the name in it on the way to the file."""
        folder, _, name = uri.rpartition("/")
        while folder not in self.listed and folder:
            folder, _, name = folder.rpartition("/")
        return folder, name

    def doubt_other_disk(self, missing: Mapping[str, FileStamp], seen: Set[str]) -> None:
        gone = [uri for uri, stamp in missing.items() if stamp.inode < 0 and not self.is_there(uri)]
        doubted = {entry.uri for entry in self.unreadable}
        for folder in unmounted(gone, seen, self.listed, self.elsewhere):
            if folder in doubted:
                continue
            self.listed.discard(folder)
            self.unreadable.append(SkippedFile(folder, OTHER_DISK))

    def is_there(self, uri: str) -> bool:
        """Whether a file is on the disk, although the scan does not have it: then it is ignored, and not gone."""
        return os.path.lexists(self.base + uri)

    def _any_there(self, folder: str, names: set[str]) -> bool:
        """Whether one of these names is still in the folder: then it is ignored, or unreadable, and not gone."""
        try:
            with self.lister(self.base + folder) as listing:
                return any(entry.name in names for entry in listing)
        except OSError:
            return True

    def _ignore_lines(self, folder: FolderRules, name: str, names: set[str]) -> bytes:
        if name not in names:
            return b""
        lines, self.pattern_cost = ignore_file(Path(self.base + folder.prefix, name), self.pattern_cost)
        if lines is None:
            self._skip(folder, name, "its patterns are not followed: not a regular file")
        return lines or b""

    def _count_ignored(self, name: str) -> None:
        if name[0] == ".":
            self.hidden += 1
        else:
            self.ignored += 1

    def _skip(self, folder: FolderRules, name: str, reason: str) -> None:
        self.skipped.append(SkippedFile(folder.prefix + _shown(name), reason))


def _rules_digest(rules: IgnoreRules, ignore_files: Mapping[str, tuple[bytes, bytes]]) -> str:
    digest = hashlib.sha256(repr((sorted(rules.extensions), rules.include, rules.ignore)).encode("utf-8"))
    for folder, lines in sorted(ignore_files.items()):
        digest.update(repr((folder, *lines)).encode("utf-8"))
    return digest.hexdigest()[:16]


def _root(root: Path) -> str:
    try:
        real = os.path.realpath(root, strict=True)
        mode = Path(real).stat().st_mode
    except FileNotFoundError as error:
        raise SourceError(
            f"the folder {root} is not there",
            hint="mount or restore it, or take the collection out with `octavo remove`; nothing was changed",
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


def _is_utf8(name: str) -> bool:
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
