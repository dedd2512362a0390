"""A repository in a stranger's folder leads to no other one, keeps nobody waiting and fetches nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from git_repository import GitRepository

from octavo.errors import SourceError
from octavo.sources import git_commits
from octavo.sources.git_repository_discovery import repositories

pytestmark = pytest.mark.skipif(
    git_commits.git_program() is None or os.name != "posix",
    reason="git and the links and pipes of POSIX systems are needed",
)


@pytest.fixture
def private(tmp_path: Path) -> GitRepository:
    repo = GitRepository(tmp_path / "private")
    repo.commit("Unspoken", {"diary.md": "unspoken\n"})
    return repo


@pytest.fixture
def folder(tmp_path: Path, private: GitRepository) -> Path:
    """Of a stranger who knows the name of a private commit, and says that it is the newest of his own repository."""
    repo = GitRepository(tmp_path / "theirs")
    repo.commit("Theirs", {"a.md": "theirs\n"})
    branch = repo.git("symbolic-ref", "HEAD").strip()
    (repo.folder / ".git" / branch).write_text(private.git("rev-parse", "HEAD"))
    return repo.folder


@pytest.fixture(autouse=True)
def nobody_waits() -> Iterator[None]:
    def waited(*_: object) -> None:
        raise AssertionError("git waits for a pipe")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def written(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def shares_by_its_own_word(folder: Path, private: Path) -> None:
    (folder / ".git").rename(folder / "old")
    written(folder / ".git" / "HEAD", "ref: refs/heads/main\n")
    written(folder / ".git" / "commondir", f"{private}\n")
    written(folder / ".git" / "gitdir", f"{folder}/.git\n")


def borrows_by_a_quoted_name(folder: Path, private: Path) -> None:
    written(folder / ".git" / "objects" / "info" / "alternates", f'"{private}/objects"\n')


def borrows_from_one_that_borrows(folder: Path, private: Path) -> None:
    written(folder / ".git" / "objects" / "info" / "alternates", "../second\n")
    written(folder / ".git" / "second" / "info" / "alternates", f"{private}/objects\n")


def borrows_by_a_name_that_ends_in_a_blank(folder: Path, private: Path) -> None:
    written(folder / ".git" / "objects" / "info" / "alternates", f"{folder}/a.md \n")
    (folder / "a.md ").symlink_to(private / "objects")


def borrows_from_a_folder_of_links(folder: Path, private: Path) -> None:
    written(folder / ".git" / "objects" / "info" / "alternates", f"{folder}/store\n")
    (folder / "store").mkdir()
    for inner in (private / "objects").iterdir():
        (folder / "store" / inner.name).symlink_to(inner)


def keeps_its_objects_in_a_folder_of_links(folder: Path, private: Path) -> None:
    (folder / ".git" / "objects").rename(folder / "old")
    (folder / ".git" / "objects").symlink_to("../store")
    (folder / "store").mkdir()
    for inner in (private / "objects").iterdir():
        (folder / "store" / inner.name).symlink_to(inner)


def has_a_name_that_ends_in_a_blank(folder: Path, private: Path) -> None:
    borrows_by_a_quoted_name(folder, private)
    (folder / ".git").rename(folder / "store ")
    written(folder / ".git", "gitdir: store \n")


def is_bare_beside_a_folder_that_is_no_repository(folder: Path, private: Path) -> None:
    borrows_by_a_quoted_name(folder, private)
    (folder / ".git").rename(folder / "old")
    for inner in (folder / "old").iterdir():
        inner.rename(folder / inner.name)
    (folder / ".git").mkdir()


LEADING_OUT: tuple[Callable[[Path, Path], None], ...] = (
    shares_by_its_own_word,
    borrows_by_a_quoted_name,
    borrows_from_one_that_borrows,
    borrows_by_a_name_that_ends_in_a_blank,
    borrows_from_a_folder_of_links,
    keeps_its_objects_in_a_folder_of_links,
    has_a_name_that_ends_in_a_blank,
    is_bare_beside_a_folder_that_is_no_repository,
)


@pytest.mark.parametrize("leads_out", LEADING_OUT, ids=lambda leads_out: leads_out.__name__)
def test_a_repository_that_leads_to_another_ones_commits_is_not_read(
    folder: Path, private: GitRepository, leads_out: Callable[[Path, Path], None]
) -> None:
    leads_out(folder, private.folder / ".git")
    readable, unread = repositories(folder, [""])
    assert not readable and [repository.prefix for repository in unread] == [""]


@pytest.mark.parametrize("name", ["worktrees/w/gitdir", "worktrees/w/HEAD", "refs/heads/logs/x", "refs/tags/hooks/x"])
def test_a_pipe_in_any_folder_that_git_reads_is_found_before_git_is_started(tmp_path: Path, name: str) -> None:
    repo = GitRepository(tmp_path / "theirs")
    repo.commit("Theirs", {"a.md": "theirs\n"})
    pipe = repo.folder / ".git" / name
    for other in ("gitdir", "HEAD", "commondir"):
        written(pipe.parent / other, "../..\n") if "worktrees" in name else None
    pipe.parent.mkdir(parents=True, exist_ok=True)
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    readable, unread = repositories(repo.folder, [""])
    assert not readable and "neither a file nor a folder" in unread[0].reason


def test_a_repository_that_keeps_its_objects_elsewhere_in_the_folder_is_read(tmp_path: Path) -> None:
    repo = GitRepository(tmp_path / "folder")
    repo.commit("Ours", {"a.md": "ours\n"})
    (repo.folder / ".git" / "objects").rename(repo.folder / "store")
    (repo.folder / ".git" / "objects").symlink_to("../store")
    readable, unread = repositories(repo.folder, [""])
    assert not unread and len(git_commits.reachable(readable[0])) == 1


def test_a_git_that_knows_nothing_of_lazy_fetches_runs_no_program_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = tmp_path / "bin" / "git"
    written(older, f'#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec "{git_commits.git_program()}" "$@"\n')
    older.chmod(0o755)
    repo = GitRepository(tmp_path / "theirs")
    hash_ = repo.commit("Theirs", {"a.md": "theirs\n"})
    tree = repo.git("rev-parse", "HEAD^{tree}").strip()
    (repo.folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    trap = tmp_path / "ran"
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::sh -c touch% {trap}",
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
    }.items():
        repo.git("config", name, value)
    monkeypatch.setenv("PATH", f"{older.parent}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(SourceError):
        list(git_commits.commits(git_commits.open_repository(repo.folder, ""), [hash_], diffs=True))
    assert not trap.exists()
