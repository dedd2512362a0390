"""A commit: one change to a repository, with its message, its people, its files and the start of its diff."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from octavo.fast_dataclass import Value

REPOSITORY = ".git"
_COMMITS = f"{REPOSITORY}/commits/"


class Person(NamedTuple):
    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>" if self.email else self.name


class ChangedFile(NamedTuple):
    """`change` is git's letter: A added, M modified, D deleted, R renamed, C copied, T type changed. Paths are uris."""

    path: str
    change: str
    before: str = ""
    """Where a renamed or copied file came from."""
    withheld: bool = False
    """Whether its content is left out of the diff: it may hold secrets, or the collection does not index it."""


class Commit(Value):
    """A commit as git reports it. Times are seconds since 1970; `diff` is None until it is read.

    `omitted` counts the lines cut from the end of the diff.
    """

    hash: str
    parents: tuple[str, ...]
    author: Person
    authored_at: float
    committer: Person
    committed_at: float
    message: str
    files: tuple[ChangedFile, ...] = ()
    diff: str | None = None
    omitted: int = 0

    @property
    def withheld(self) -> tuple[str, ...]:
        return tuple(file.path for file in self.files if file.withheld)

    @property
    def subject(self) -> str:
        """The message's first paragraph on one line, as git shows it."""
        return " ".join(self.message.lstrip().partition("\n\n")[0].split())

    @property
    def body(self) -> str:
        return self.message.lstrip().partition("\n\n")[2].strip("\n")


class Repository(Value):
    """A repository under a collection. `prefix` is its folder's uri ("" for the root), `common` the shared git folder.

    Worktrees of one repository have a `git_dir` each and share `common`, where the refs are.
    """

    prefix: str
    folder: Path
    git_dir: Path
    common: Path
    shallow: bool = False
    bare: bool = False


def repository_uri(prefix: str) -> str:
    """The ledger's key for a repository in folder `prefix` ("" is the root); no scanned file can have this uri."""
    return f"{prefix}/{REPOSITORY}" if prefix else REPOSITORY


def is_repository(uri: str) -> bool:
    return uri == REPOSITORY or uri.endswith(f"/{REPOSITORY}")


def commit_uri(prefix: str, hash_: str) -> str:
    """Inside the repository's own folder, which is never scanned for files: `lib/.git/commits/1a2b…`."""
    return f"{repository_uri(prefix)}/commits/{hash_}"


def is_commit(uri: str) -> bool:
    return uri.startswith(_COMMITS) or f"/{_COMMITS}" in uri
