"""A history shows no more than the folder does: denied, ignored and left out files are named in it and not read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from git_repository import GitRepository
from workbench import Bench

from octavo.engine.indexing.git_history_updates import follow_histories, index_moved
from octavo.ingest import git_commit_indexing as ingest_history
from octavo.ingest.collection_repository_watch import HistoryWatch
from octavo.model.projects_and_collections import CollectionSettings
from octavo.observability.progress import NoProgress
from octavo.retrieval.reference_resolution import read_passage
from octavo.sources import git_commits

pytestmark = pytest.mark.skipif(git_commits.git_program() is None, reason="git is not installed")

WORD = "xylophonist"
SECRET = f"{WORD} = 1\n"


@pytest.fixture
def repo(bench: Bench) -> GitRepository:
    return GitRepository(bench.folder)


def text_of(bench: Bench, hash_: str) -> str:
    with bench.opened() as engine:
        return read_passage(engine, hash_[:10]).text


@pytest.mark.parametrize(
    "name",
    [
        *(".env", "id_rsa", "deploy/credentials.json", "server.pem", "node_modules/left/index.js", ".hidden/plan.md"),
        *("package-lock.json", "terraform.tfstate.backup", "kubeconfig.yaml"),
    ],
)
def test_a_file_that_would_not_be_indexed_is_named_in_its_commit_without_content(
    bench: Bench, repo: GitRepository, name: str
) -> None:
    hash_ = repo.commit("Add the settings", {name: SECRET, "notes.md": "# Trombone\n"})
    bench.index()
    text = text_of(bench, hash_)
    assert f"\n{name} (added, content withheld)\n" in text
    assert "+# Trombone\n" in text
    assert WORD not in text
    assert bench.found(WORD) == []


def test_of_a_commit_only_the_withheld_parts_are_left_out(bench: Bench, repo: GitRepository) -> None:
    files = {"a.py": "alpha = 1\n", "b/.env": SECRET, "c.md": "gamma\n", "id_rsa": SECRET, "z.py": "omega = 1\n"}
    first = repo.commit("Add", files)
    (bench.folder / "c.md").unlink()
    (bench.folder / "c.md").symlink_to("a.py")
    (bench.folder / "b" / ".env").rename(bench.folder / "b" / "plain.md")
    second = repo.commit("Change", {"a.py": "alpha = 2\n", "id_rsa": SECRET * 2, "z.py": None})
    bench.index()
    assert [line for line in text_of(bench, first).split("\n") if line.startswith("diff --git")] == [
        "diff --git a/a.py b/a.py",
        "diff --git a/c.md b/c.md",
        "diff --git a/z.py b/z.py",
    ]
    text = text_of(bench, second)
    assert "b/plain.md (was b/.env, content withheld)" in text
    assert "+alpha = 2" in text
    assert "-omega = 1" in text
    assert WORD not in text


def test_withheld_files_do_not_use_up_the_lines_of_a_diff(bench: Bench, repo: GitRepository) -> None:
    hash_ = repo.commit("Add", {".env": SECRET * 500, "z.py": "omega = 1\n"})
    bench.index()
    assert "+omega = 1" in text_of(bench, hash_)


def test_a_diff_too_long_to_be_read_whole_shows_nothing_of_a_withheld_file_at_its_end(
    bench: Bench, repo: GitRepository
) -> None:
    hash_ = repo.commit("Add", {"a.py": "x = 1  # " + "y" * 990_000 + "\n", "secrets.json": f"{'z' * 900_000}{WORD}"})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("octavo.sources.git_diff_tree_parser.RECORD", 100_000)
        bench.index()
    assert WORD not in text_of(bench, hash_)


@pytest.mark.parametrize("glob", ["skip/**", "**/skip/**", "skip", "skip/"])
def test_every_spelling_of_an_ignored_folder_withholds_what_is_below_it(
    bench: Bench, repo: GitRepository, glob: str
) -> None:
    hash_ = repo.commit("Add", {"skip/deep/plan.md": SECRET, "keep.md": "# Kept\n"})
    bench.collection = CollectionSettings(ignore=(glob,))
    bench.index()
    text = text_of(bench, hash_)
    assert "skip/deep/plan.md (added, content withheld)" in text
    assert "+# Kept" in text
    assert bench.found(WORD) == []


@pytest.mark.parametrize("glob", ["skip/**", "**/skip/**", "skip", "skip/", "/skip/"])
def test_a_repository_in_an_ignored_folder_is_not_discovered_and_leaves_when_ignored_later(
    bench: Bench, tmp_path: Path, glob: str
) -> None:
    bench.write({"top.md": "# Top\n"})
    inner = GitRepository(bench.folder / "skip")
    inner.commit(f"Think of the {WORD}", {"plan.md": "A plan.\n"})
    assert bench.index().commits == 1
    assert bench.found(WORD) != []
    bench.collection = CollectionSettings(ignore=(glob,))
    assert bench.index().commits_removed == 1
    assert bench.found(WORD) == []
    assert not [uri for uri in bench.ledger() if uri.startswith("skip/")]


def test_include_globs_hold_for_diffs_too(bench: Bench, repo: GitRepository) -> None:
    hash_ = repo.commit("Add", {"docs/a.md": "# Included\n", "code.py": SECRET})
    bench.collection = CollectionSettings(include=("docs/**",))
    bench.index()
    text = text_of(bench, hash_)
    assert "+# Included" in text
    assert "code.py (added, content withheld)" in text
    assert WORD not in text


@pytest.mark.parametrize("name", [".gitignore", ".octavoignore"])
def test_a_file_ignored_later_is_withheld_from_then_on_and_one_no_longer_ignored_is_shown(
    bench: Bench, repo: GitRepository, name: str
) -> None:
    hash_ = repo.commit("Add", {"private/plan.md": SECRET, "keep.md": "# Kept\n"})
    other = repo.commit("Add more", {"more.md": "# More\n"})
    bench.index()
    assert WORD in text_of(bench, hash_)
    (bench.folder / name).write_text("private/\n", "utf-8")
    read_with_diffs: list[str] = []

    def noted(repository: object, hashes: list[str], **options: bool) -> object:
        if options["diffs"]:
            read_with_diffs.extend(hashes)
        return git_commits.commits(repository, hashes, **options)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ingest_history, "commits", noted)
        bench.index()
    assert read_with_diffs == [hash_]
    assert WORD not in text_of(bench, hash_)
    assert bench.found(WORD) == []
    assert "+# More" in text_of(bench, other)
    (bench.folder / name).write_text("", "utf-8")
    bench.index()
    assert WORD in text_of(bench, hash_)


def test_a_library_made_before_withholds_after_its_next_run(bench: Bench, repo: GitRepository) -> None:
    hash_ = repo.commit("Add", {".env": SECRET, "a.md": "# A\n"})
    with pytest.MonkeyPatch.context() as earlier:
        earlier.setattr("octavo.sources.shown_files_of_git_commits.Withholding.reason", lambda self, uri: None)
        earlier.setattr("octavo.parsing.registry.PARSER_VERSION", "earlier")
        earlier.setattr("octavo.engine.wiring.configured_index_recipe.PARSER_VERSION", "earlier")
        bench.index()
        assert WORD in text_of(bench, hash_)
    bench.index()
    assert WORD not in text_of(bench, hash_)
    assert bench.found(WORD) == []


def test_a_git_file_that_points_out_of_the_folder_is_refused_unless_allowed(bench: Bench, tmp_path: Path) -> None:
    foreign = GitRepository(tmp_path / "foreign")
    foreign.commit(f"Hide the {WORD}", {"diary.md": "Mine.\n"})
    bench.write({"top.md": "# Top\n", "lib/.git": f"gitdir: {foreign.folder / '.git'}\n", "lib/a.md": "# A\n"})
    report = bench.index()
    assert report.commits == 0
    (problem,) = [skipped for skipped in report.unread_repositories if skipped.uri == "lib/.git"]
    assert "points out of the collection's folder" in problem.reason
    assert "--outside-git" in problem.reason
    assert bench.found(WORD) == []
    with bench.opened() as engine:
        watch = HistoryWatch()
        follow_histories(engine.library, watch)
        assert watch.moved() == {}
    bench.collection = CollectionSettings(outside_git=True)
    assert bench.index().commits == 1


def test_a_link_to_a_foreign_git_folder_is_refused(bench: Bench, tmp_path: Path) -> None:
    foreign = GitRepository(tmp_path / "foreign")
    foreign.commit("Hide", {"diary.md": "Mine.\n"})
    bench.write({"lib/a.md": "# A\n"})
    (bench.folder / "lib" / ".git").symlink_to(foreign.folder / ".git")
    assert bench.index().commits == 0


def test_a_worktree_cannot_stand_in_for_another(bench: Bench, tmp_path: Path) -> None:
    """Its repository names the folder of every worktree it has, and this is none of them."""
    foreign = GitRepository(tmp_path / "foreign")
    foreign.commit("Hide", {"diary.md": "Mine.\n"})
    foreign.git("worktree", "add", "-q", "../tree", "-b", "side")
    bench.write({"a.md": "# A\n", ".git": (tmp_path / "tree" / ".git").read_text("utf-8")})
    assert bench.index().commits == 0


def test_commits_that_arrive_while_folders_are_watched_are_withheld_by_the_same_rules(
    bench: Bench, repo: GitRepository
) -> None:
    repo.commit("Begin", {"a.md": "# A\n"})
    bench.index()
    hash_ = repo.commit("Go on", {".env": SECRET, "b.md": "# B\n"})
    with bench.opened() as engine:
        watch = HistoryWatch()
        follow_histories(engine.library, watch)
        index_moved(engine.library, watch.moved(), NoProgress())
    assert WORD not in text_of(bench, hash_)
    assert "+# B" in text_of(bench, hash_)


def test_the_names_of_withheld_files_still_find_their_commits(bench: Bench, repo: GitRepository) -> None:
    hash_ = repo.commit("Add", {".env": SECRET})
    bench.index()
    with bench.opened() as engine:
        (found,) = engine.store.history.touching(engine.project.id, [".env"], None, 5)
    assert found.hash == hash_
    assert found.metadata["withheld"] == [".env"]


def test_a_change_of_collection_settings_is_judged_anew(bench: Bench, repo: GitRepository) -> None:
    hash_ = repo.commit("Add", {"draft/a.md": SECRET, "b.md": "# B\n"})
    bench.index()
    bench.collection = replace(bench.collection, ignore=("draft",))
    bench.index()
    assert WORD not in text_of(bench, hash_)
