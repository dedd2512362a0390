"""Discovery of git repositories under a collection.

Repositories are looked for in folders that a scan listed, so that what a collection ignores stays ignored. Inside a
repository only its submodules count: any other repository in there is private. Worktrees of one repository share its
history, which is indexed once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from octavo.bounded_file_reading import read_small
from octavo.errors import SourceError
from octavo.fast_dataclass import dataclass
from octavo.model.git_commit import REPOSITORY, Repository
from octavo.path_resolution_and_private_folders import real_path
from octavo.sources.git_commits import open_repository, worktree_of
from octavo.sources.git_safety_checks import refuse_traps

DEPTH = 6
"""How many folders below the root a repository may be."""

_MOST = 200  # repositories in one collection


@dataclass(frozen=True, slots=True)
class UnreadableRepository:
    """A repository that git cannot read, and why."""

    prefix: str
    reason: str
    hint: str | None = None


def readable_repository(root: Path, prefix: str, *, outside: bool = False) -> Repository:
    """The repository in a folder below the root; one that lies elsewhere only if it names this folder as its worktree.

    Anyone who can write a file can have `.git` point to a repository of somebody else. `outside` allows that.
    """
    base = Path(os.path.realpath(root))
    examined = refuse_traps(base, base / prefix, outside=outside)
    repository = open_repository(base / prefix, prefix)
    if not {Path(os.path.realpath(folder)) for folder in (repository.git_dir, repository.common)} <= examined:
        raise SourceError(
            f"the repository in {repository.folder} is not read: git takes {repository.git_dir} for it",
            hint=f"remove {repository.folder / REPOSITORY}, or what makes the folder itself a repository",
        )
    inside = all(_is_below(base, folder) for folder in (repository.git_dir, repository.common))
    # Only the other repository's own list of worktrees says that this folder is one of them.
    listed = _is_below(Path(os.path.realpath(repository.common)), repository.git_dir)
    if inside or outside or (listed and worktree_of(repository) == real_path(repository.folder)):
        return repository
    raise SourceError(
        f"{repository.folder / REPOSITORY} points out of the collection's folder, to {repository.common}",
        hint="if you want that history, allow it with `octavo add --outside-git` or history.outside_git",
    )


def _is_below(base: Path, folder: Path) -> bool:
    return Path(os.path.realpath(folder)).is_relative_to(base)


def repositories(
    root: Path, listed: Iterable[str], *, outside: bool = False
) -> tuple[list[Repository], list[UnreadableRepository]]:
    """The repositories in the listed folders, outermost first; submodules after the repository that contains them."""
    known: list[Repository] = []
    unread: list[UnreadableRepository] = []
    inside: dict[str, frozenset[str]] = {}
    histories: set[Path] = set()
    base = Path(os.path.realpath(root))
    for prefix in sorted(listed, key=lambda folder: (folder.count("/") + bool(folder), folder)):
        if prefix.count("/") + bool(prefix) > DEPTH or len(known) >= _MOST:
            break
        above = _above(prefix, inside)
        if above is not None and prefix not in inside[above]:
            continue
        folder = base / prefix
        if not _holds_repository(folder):
            continue
        inside[prefix] = _submodules(folder, prefix)
        try:
            repository = readable_repository(base, prefix, outside=outside)
        except SourceError as error:
            unread.append(UnreadableRepository(prefix, error.message, error.hint))
            continue
        if repository.common not in histories:
            histories.add(repository.common)
            known.append(repository)
    return known, unread


def holds_repository(root: Path, prefix: str) -> bool:
    """Whether there is still a repository in this folder; True when that cannot be determined."""
    try:
        return _holds_repository(Path(os.path.realpath(root)) / prefix)
    except OSError:
        return True


def _above(prefix: str, inside: Mapping[str, frozenset[str]]) -> str | None:
    """The innermost repository around a folder, if there is one."""
    while prefix:
        prefix = prefix.rpartition("/")[0]
        if prefix in inside:
            return prefix
    return None


def _holds_repository(folder: Path) -> bool:
    if (folder / REPOSITORY).exists():
        return True
    # A bare repository is its own folder: told by what git itself looks for.
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def _submodules(folder: Path, prefix: str) -> frozenset[str]:
    """The folders of submodules, by what `.gitmodules` says: `path = lib/thing`."""
    try:
        lines = read_small(folder / ".gitmodules").decode("utf-8", "replace").split("\n")
    except OSError:
        return frozenset()
    named = (line.partition("=")[2].strip().strip('"').strip("/") for line in lines if _names_path(line))
    start = f"{prefix}/" if prefix else ""
    return frozenset(start + path for path in named if path and ".." not in path.split("/"))


def _names_path(line: str) -> bool:
    return line.partition("=")[0].strip().lower() == "path"
