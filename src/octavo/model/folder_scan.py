"""What a look at a folder found: the files in it, and what could not be read."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import field
from pathlib import Path
from typing import NamedTuple

from octavo.fast_dataclass import Value, replace
from octavo.model.indexing_ledger import FileStamp


class SeenFile(NamedTuple):
    """`uri` is the path from the root, with `/` and its original case; `path` is what to open."""

    uri: str
    location: str
    stamp: FileStamp

    @property
    def path(self) -> Path:
        # Built on demand: building 14,000 of them takes longer than calling stat on the files.
        return Path(self.location)


class KnownFiles(dict[str, FileStamp]):
    """What the ledger has of files, by uri, with what decides whether one that is not seen was deleted.

    `checked_at` is when the folder was last compared with the library: deleting a file changes its folder's time, and
    unmounting a disk does not. `confirmed` means that somebody said the files are really gone.
    """

    def __init__(
        self, stamps: Mapping[str, FileStamp], *, checked_at: float | None = None, confirmed: bool = False
    ) -> None:
        super().__init__(stamps)
        self.checked_at = checked_at
        self.confirmed = confirmed


def is_under(uri: str, prefix: str) -> bool:
    """Whether a uri starts so, or is the file inside of which everything lies that does.

    >>> is_under("mail/in.mbox/a.eml", "mail/in.mbox/"), is_under("mail/in.mbox", "mail/in.mbox/a")
    (True, True)
    """
    return uri.startswith(prefix) or prefix.startswith(f"{uri}/")


def container(uri: str, files: Container[str]) -> str | None:
    """The outermost of these files inside of which a uri lies, if it lies in one."""
    at = uri.find("/")
    while at > 0:
        if uri[:at] in files:
            return uri[:at]
        at = uri.find("/", at + 1)
    return None


class SkippedFile(Value):
    """A file or folder that was not taken in, and why."""

    uri: str
    reason: str


class Scan(Value):
    """The result of scanning a root. Files are sorted by uri.

    `skipped` are files that are refused, or that nothing here reads; `unreadable` are folders and files whose state
    is unknown; `listed` are the folders that were listed completely, "" being the root, and `rooted` those of them
    that may contain a git repository, unless everything in them is ignored. `hidden` and `ignored` count names excluded
    by rule, a folder counting once.
    """

    files: tuple[SeenFile, ...]
    skipped: tuple[SkippedFile, ...]
    listed: frozenset[str]
    unreadable: tuple[SkippedFile, ...]
    hidden: int = 0
    ignored: int = 0
    rooted: frozenset[str] = frozenset()
    rules_digest: str = field(default="", compare=False)
    """Equal digests mean equal rules: the collection's, and those of all ignore files the scan read."""

    def under(self, prefix: str) -> Scan:
        """The same scan with only the files whose uri starts so. Facts about folders stay: they are evidence."""
        return replace(
            self,
            files=tuple(file for file in self.files if is_under(file.uri, prefix)),
            skipped=tuple(entry for entry in self.skipped if is_under(entry.uri, prefix)),
        )

    def gone(self, uri: str) -> bool:
        """Whether there is evidence that `uri`, not among the files seen, no longer exists or is now ignored.

        The nearest ancestor folder that was visited decides: if it was listed, the file or a folder on the way to it
        was absent or ignored; if it could not be listed, nothing is known.
        """
        doubtful = {entry.uri for entry in self.unreadable}
        while uri not in doubtful:
            if not uri:
                return "" in self.listed
            uri = uri.rpartition("/")[0]
            if uri in self.listed:
                return True
        return False
