"""Histories of repositories in every shape, through whole runs: bare, empty, linked, nested, pushed over."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_repository import GitRepository

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.operations.history.commits_and_file_history import history
from octavo.operations.history.requests import HistoryRequest
from octavo.sources.git_commits import git_program

pytestmark = pytest.mark.skipif(git_program() is None, reason="git is not installed")


def run(library: Path, folder: Path) -> dict[str, set[str]]:
    """The commits that each repository below a folder has in the library after a run, by where it lies."""
    with open_library(library, create=True, settings={"embedding.provider": "hashing"}) as engine:
        if not engine.collections():
            engine.add_collection("code", folder)
        engine.index()
        assert engine.store.check() == ()
        return held(engine)


def held(engine: Engine) -> dict[str, set[str]]:
    known = engine.store.history.known(engine.project.id, engine.collection("code").id)
    return {prefix: set(hashes) for prefix, hashes in known.items()}


def test_a_forced_push_that_was_fetched_replaces_what_it_pushed_over(tmp_path: Path) -> None:
    theirs = GitRepository(tmp_path / "theirs")
    start = theirs.commit("Start", {"a.md": "one\n"})
    old = theirs.commit("A first try", {"a.md": "two\n"})
    mine = GitRepository(tmp_path / "mine", init=())
    theirs.git("clone", "-q", str(theirs.folder), str(mine.folder))
    assert run(tmp_path / "l.db", mine.folder) == {"": {start, old}}
    theirs.git("reset", "-q", "--hard", start)
    new = theirs.commit("A second try", {"a.md": "three\n"})
    mine.git("fetch", "-q")
    # The local branch still leads to what was pushed over.
    assert run(tmp_path / "l.db", mine.folder) == {"": {start, old, new}}
    mine.git("reset", "-q", "--hard", "origin/main")
    assert run(tmp_path / "l.db", mine.folder) == {"": {start, new}}


def test_a_bare_repository_brings_its_commits_and_no_files(tmp_path: Path) -> None:
    repo = GitRepository(tmp_path / "repo")
    start = repo.commit("Start", {"a.md": "one\n"})
    repo.git("clone", "-q", "--bare", str(repo.folder), str(tmp_path / "all" / "thing.git"))
    assert run(tmp_path / "l.db", tmp_path / "all") == {"thing.git": {start}}
    with open_library(tmp_path / "l.db", settings={"embedding.provider": "hashing"}) as engine:
        # Its objects and hooks are not even told of.
        assert set(engine.store.ledger.entries(engine.project.id, engine.collection("code").id)) == {"thing.git/.git"}


def test_a_repository_without_commits_is_there_and_its_first_commit_is_found(tmp_path: Path) -> None:
    repo = GitRepository(tmp_path / "repo")
    repo.write({"a.md": "one\n"})
    assert run(tmp_path / "l.db", repo.folder) == {}
    first = repo.commit("Start")
    assert run(tmp_path / "l.db", repo.folder) == {"": {first}}


def test_a_worktree_brings_the_whole_history_once(tmp_path: Path) -> None:
    repo = GitRepository(tmp_path / "all" / "repo")
    start = repo.commit("Start", {"a.md": "one\n"})
    repo.git("worktree", "add", "-q", "../tree", "-b", "side")
    side = GitRepository(tmp_path / "all" / "tree", init=()).commit("Beside", {"b.md": "two\n"})
    assert run(tmp_path / "l.db", tmp_path / "all") == {"repo": {start, side}}
    assert run(tmp_path / "only.db", tmp_path / "all" / "tree") == {"": {start, side}}


def test_a_submodule_has_a_history_of_its_own_below_its_path(tmp_path: Path) -> None:
    other = GitRepository(tmp_path / "other")
    inner = other.commit("Start the part", {"part.md": "one\n"})
    repo = GitRepository(tmp_path / "repo")
    start = repo.commit("Start", {"a.md": "one\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.folder), "lib/part")
    added = repo.commit("Add a part")
    assert run(tmp_path / "l.db", repo.folder) == {"": {start, added}, "lib/part": {inner}}
    with open_library(tmp_path / "l.db", settings={"embedding.provider": "hashing"}) as engine:
        told = history(engine, HistoryRequest("lib/part/part.md"))
        assert [commit.hash for commit in told.commits] == [inner]
