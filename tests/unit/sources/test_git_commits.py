"""Git is read as it is: whatever names, messages and changes a repository holds, and without running what it names."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from git_repository import START, GitRepository

from octavo.errors import SourceError
from octavo.model.git_commit import ChangedFile, Commit, Person, Repository
from octavo.sources import git_commits
from octavo.sources.git_ref_watch import RefWatch, watched_paths
from octavo.sources.git_repository_discovery import repositories

pytestmark = pytest.mark.skipif(git_commits.git_program() is None, reason="git is not installed")


@pytest.fixture
def repo(tmp_path: Path) -> GitRepository:
    return GitRepository(tmp_path / "repo")


def opened(repo: GitRepository, prefix: str = "") -> Repository:
    return git_commits.open_repository(repo.folder, prefix)


def told(repo: GitRepository, *hashes: str, diffs: bool = True) -> list[Commit]:
    return list(git_commits.commits(opened(repo), hashes or git_commits.reachable(opened(repo)), diffs=diffs))


def test_a_commit_is_told_whole(repo: GitRepository) -> None:
    first = repo.commit("Start\n", {"a.txt": "one\n"})
    hash_ = repo.commit("Close the dome\n\nIt rains.\n", {"a.txt": "two\n"}, author="Zoë Quill <zoe@example.org>")
    (commit,) = told(repo, hash_)
    zoe = Person("Zoë Quill", "zoe@example.org")
    diff = commit.diff or ""
    assert commit == Commit(
        hash=hash_,
        parents=(first,),
        author=zoe,
        authored_at=START + 120.0,
        committer=zoe,
        committed_at=START + 120.0,
        message="Close the dome\n\nIt rains.\n",
        files=(ChangedFile("a.txt", "M"),),
        diff=diff,
    )
    assert (commit.subject, commit.body) == ("Close the dome", "It rains.")
    assert diff.startswith("diff --git a/a.txt b/a.txt\n") and diff.endswith("@@ -1 +1 @@\n-one\n+two\n")


def test_commits_come_in_the_order_asked_for_with_or_without_diffs(repo: GitRepository) -> None:
    hashes = [repo.commit(f"Commit {number}", {"a.txt": f"{number}\n"}) for number in range(5)]
    for diffs in (True, False):
        assert [one.hash for one in told(repo, *hashes, diffs=diffs)] == hashes
    assert [one.diff is None for one in told(repo, diffs=False)] == [True] * 5
    assert git_commits.reachable(opened(repo)) == tuple(reversed(hashes))
    assert git_commits.reachable(opened(repo), 2) == (hashes[4], hashes[3])


def test_a_repository_without_commits_has_none(repo: GitRepository) -> None:
    assert git_commits.reachable(opened(repo)) == ()
    assert told(repo) == []
    assert git_commits.refs(opened(repo)) == ""


def test_a_rename_tells_both_names(repo: GitRepository) -> None:
    repo.commit("Start", {"old name.txt": "line\n" * 20})
    repo.git("mv", "old name.txt", "new name.txt")
    (commit,) = told(repo, repo.commit("Rename"))
    assert commit.files == (ChangedFile("new name.txt", "R", "old name.txt"),)


def test_a_merge_names_its_parents_and_repeats_no_diff(repo: GitRepository) -> None:
    repo.commit("Start", {"a.txt": "one\n"})
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("Side", {"b.txt": "two\n"})
    repo.git("checkout", "-q", "main")
    main = repo.commit("Main", {"c.txt": "three\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    (commit,) = told(repo, repo.head())
    assert (commit.parents, commit.files, commit.diff) == ((main, side), (), "")


def test_added_deleted_and_reverted_files_are_told_apart(repo: GitRepository) -> None:
    repo.commit("Start", {"a.txt": "one\n", "b.txt": "two\n"})
    (removal,) = told(repo, repo.commit("Remove", {"a.txt": None, "c.txt": "new\n"}))
    assert removal.files == (ChangedFile("a.txt", "D"), ChangedFile("c.txt", "A"))
    repo.git("revert", "--no-edit", "HEAD")
    (revert,) = told(repo, repo.head())
    assert revert.subject == 'Revert "Remove"' and removal.hash in revert.body
    assert revert.files == (ChangedFile("a.txt", "A"), ChangedFile("c.txt", "D"))


def test_an_empty_commit_has_no_files(repo: GitRepository) -> None:
    (commit,) = told(repo, repo.commit("Nothing changed"))
    assert (commit.files, commit.diff, commit.omitted) == ((), "", 0)


def test_a_message_may_be_empty_or_look_like_a_record(repo: GitRepository) -> None:
    repo.commit("Start", {"a.txt": "one\n"})
    repo._commits += 1
    repo.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", "")
    odd = "Odd\n\n:100644 100644 abc def M\ndiff --git a/x b/x\nChanged files:\nfake.py\n\x01\x1b[31m\n"
    hash_ = repo.commit(odd, {"b.txt": "two\n"})
    newest, empty, _ = told(repo)
    assert newest.message == odd and newest.files == (ChangedFile("b.txt", "A"),) and newest.hash == hash_
    assert (empty.message, empty.subject, empty.files) == ("", "", ())


@pytest.mark.parametrize(
    "name",
    ["ünï/çödé.md", "日本語.txt", 'quoted"name.txt', "tab\there.txt", "new\nline.txt", " lead", "a -> b", "-dash"],
)
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_names_of_files_are_told_as_they_are(repo: GitRepository, name: str) -> None:
    (commit,) = told(repo, repo.commit("Odd name", {name: "text\n"}))
    assert commit.files == (ChangedFile(name, "A"),)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps names that are no UTF-8")
def test_a_name_that_is_no_utf_8_is_spelled_out(repo: GitRepository) -> None:
    Path(os.fsdecode(os.fsencode(repo.folder) + b"/bad\xff.txt")).write_text("text\n")
    (commit,) = told(repo, repo.commit("Odd name"))
    assert commit.files == (ChangedFile("bad\\xff.txt", "A"),)


def test_paths_are_those_of_the_collection(repo: GitRepository) -> None:
    repo.commit("Start", {"src/a.py": "x = 1\n"})
    repository = opened(repo, "libs/thing")
    (commit,) = git_commits.commits(repository, git_commits.reachable(repository), diffs=False)
    assert commit.files == (ChangedFile("libs/thing/src/a.py", "A"),)


def test_a_long_diff_is_cut_after_two_hundred_lines_and_says_how_much_is_missing(repo: GitRepository) -> None:
    (commit,) = told(repo, repo.commit("Huge", {"a.txt": "".join(f"line {n}\n" for n in range(1, 1001))}))
    diff = commit.diff or ""
    assert diff.count("\n") == 200
    assert commit.omitted == 1000 + 6 - 200  # six lines stand in front of the first one added


def test_a_diff_of_many_megabytes_takes_no_more_than_its_share(repo: GitRepository) -> None:
    lines = "".join(f"{n} {'x' * 90}\n" for n in range(9_000))
    files: dict[str, str | bytes | None] = {f"big{n}.txt": f"{n}\n{lines}" for n in range(8)}
    (big, after) = told(repo, repo.commit("Huge", files), repo.commit("After", {"z.txt": "z\n"}))
    assert len(big.files) == 8 and big.omitted > 70_000
    assert (after.subject, after.files) == ("After", (ChangedFile("z.txt", "A"),))


def test_a_line_without_end_is_cut(repo: GitRepository) -> None:
    (commit,) = told(repo, repo.commit("Minified", {"a.js": "x" * 300_000}))
    assert max(map(len, (commit.diff or "").split("\n"))) <= 401


def test_a_binary_file_is_named_and_not_shown(repo: GitRepository) -> None:
    (commit,) = told(repo, repo.commit("Picture", {"a.png": b"\x89PNG\0\0\xff" * 100}))
    assert commit.files == (ChangedFile("a.png", "A"),)
    assert "Binary files /dev/null and b/a.png differ" in (commit.diff or "")


def test_text_that_is_no_utf_8_or_holds_nuls_late_is_read_all_the_same(repo: GitRepository) -> None:
    late = b"text\n" * 4_000 + b"\0 nul :100644 \0\n"
    commits = told(repo, repo.commit("Latin", {"a.txt": b"caf\xe9\n"}), repo.commit("Late", {"b.txt": late}))
    assert "+caf\ufffd" in (commits[0].diff or "")
    assert commits[1].files == (ChangedFile("b.txt", "A"),)


@pytest.mark.parametrize(("claimed", "shown"), [(0, 0.0), (4_000_000_000, 4_000_000_000.0)])
def test_a_commit_may_claim_any_time(repo: GitRepository, claimed: float, shown: float) -> None:
    (commit,) = told(repo, repo.commit("Clock", {"a.txt": "x\n"}, at=claimed))
    assert commit.committed_at == shown


def test_notes_and_stashes_are_no_history(repo: GitRepository) -> None:
    hash_ = repo.commit("Start", {"a.txt": "one\n"})
    repo.git("notes", "add", "-m", "a note")
    repo.write({"a.txt": "changed\n"})
    repo.git("stash")
    assert git_commits.reachable(opened(repo)) == (hash_,)


def test_every_branch_tag_and_detached_head_is_history(repo: GitRepository) -> None:
    first = repo.commit("Start", {"a.txt": "one\n"})
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("Side", {"b.txt": "two\n"})
    repo.git("checkout", "-q", "--detach", "main")
    tagged = repo.commit("Tagged", {"c.txt": "three\n"})
    repo.git("tag", "v1")
    loose = repo.commit("Loose", {"d.txt": "four\n"})
    assert set(git_commits.reachable(opened(repo))) == {first, side, tagged, loose}


def test_a_shallow_clone_and_a_bare_one_are_read(repo: GitRepository, tmp_path: Path) -> None:
    hashes = [repo.commit(f"Commit {number}", {"a.txt": f"{number}\n"}) for number in range(4)]
    shallow = GitRepository(tmp_path / "shallow", init=("clone", "-q", "--depth=2", repo.folder.as_uri(), "."))
    bare = GitRepository(tmp_path / "bare.git", init=("clone", "-q", "--bare", str(repo.folder), "."))
    assert opened(shallow).shallow and not opened(bare).shallow and opened(bare).bare
    assert [one.subject for one in told(shallow)] == ["Commit 3", "Commit 2"]
    assert git_commits.reachable(opened(bare)) == tuple(reversed(hashes))


def test_worktrees_share_one_history(repo: GitRepository, tmp_path: Path) -> None:
    repo.commit("Start", {"a.txt": "one\n"})
    repo.git("worktree", "add", "-q", "../tree", "-b", "side")
    found, unread = repositories(tmp_path, ["", "repo", "tree"])
    assert ([one.prefix for one in found], unread) == (["repo"], [])
    alone, _ = repositories(tmp_path / "tree", [""])
    assert [one.common for one in alone] == [opened(repo).common]


def test_of_nested_repositories_only_submodules_are_looked_at(repo: GitRepository, tmp_path: Path) -> None:
    other = GitRepository(tmp_path / "other")
    other.commit("Start", {"a.txt": "one\n"})
    repo.commit("Start", {"a.txt": "one\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.folder), "lib/thing")
    repo.commit("Add a submodule")
    GitRepository(repo.folder / "vendor" / "private").commit("Start", {"a.txt": "one\n"})
    listed = ["", "lib", "lib/thing", "vendor", "vendor/private"]
    found, _ = repositories(repo.folder, listed)
    assert [one.prefix for one in found] == ["", "lib/thing"]
    assert ChangedFile("lib/thing", "A") in told(repo)[0].files


def test_repositories_are_looked_for_only_where_a_scan_went_and_not_too_deep(tmp_path: Path) -> None:
    deep = "a/b/c/d/e/f/g"
    for folder in ("one", "ignored", deep):
        GitRepository(tmp_path / folder).commit("Start", {"a.txt": "one\n"})
    found, _ = repositories(tmp_path, ["", "one", "a", "a/b", "a/b/c", deep])
    assert [one.prefix for one in found] == ["one"]


def test_a_broken_repository_is_told_of_and_its_parent_left_alone(repo: GitRepository, tmp_path: Path) -> None:
    repo.commit("Start", {"a.txt": "one\n"})
    (repo.folder / "sub").mkdir()
    (repo.folder / "sub" / ".git").write_text("gitdir: nowhere\n")
    found, unread = repositories(repo.folder / "sub", [""])
    assert found == [] and [one.prefix for one in unread] == [""] and "git cannot read" in unread[0].reason


def test_what_a_repository_wants_run_is_not_run(repo: GitRepository, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho ran >> '{ran}'\ncat\n")
    trap.chmod(trap.stat().st_mode | stat.S_IXUSR)
    repo.commit("Start", {"a.txt": "one\n", ".gitattributes": "*.txt diff=trap filter=trap\n"})
    for name in (
        *("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass", "gpg.program"),
        *("diff.external", "diff.trap.command", "diff.trap.textconv", "filter.trap.smudge", "filter.trap.clean"),
        *("pager.log", "pager.diff-tree", "pager.rev-list", "credential.helper", "interactive.diffFilter"),
    ):
        repo.git("config", name, str(trap))
    repo.git("config", "log.showSignature", "true")
    hooks = repo.folder / ".git" / "hooks"
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (hooks / hook).write_text(trap.read_text())
        (hooks / hook).chmod(0o755)
    ran.unlink(missing_ok=True)
    (commit,) = told(repo)
    git_commits.refs(opened(repo))
    assert commit.subject == "Start" and not ran.exists()


def test_the_callers_environment_does_not_reach_git(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = GitRepository(tmp_path / "other")
    other.commit("Elsewhere", {"b.txt": "two\n"})
    hash_ = repo.commit("Start", {"a.txt": "one\n"})
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.bare")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "nonsense")
    assert [one.hash for one in told(repo)] == [hash_]


def test_settings_of_the_repository_do_not_change_what_is_told(repo: GitRepository) -> None:
    repo.commit("Start", {"a.txt": "one\ntwo\nthree\n"})
    hash_ = repo.commit("Change", {"a.txt": "one\n2\nthree\n"})
    before = told(repo, hash_)
    for name, value in {
        "diff.noprefix": "true",
        "diff.context": "0",
        "color.ui": "always",
        "diff.renames": "copies",
        "core.quotePath": "true",
        "log.date": "relative",
        "format.pretty": "oneline",
        "diff.mnemonicPrefix": "true",
        "i18n.logOutputEncoding": "latin1",
    }.items():
        repo.git("config", name, value)
    assert told(repo, hash_) == before


def test_missing_objects_are_an_error_that_says_so(repo: GitRepository) -> None:
    repo.commit("Start", {"a.txt": "one\n"})
    blob = repo.git("rev-parse", "HEAD:a.txt")
    repo.commit("Change", {"a.txt": "two\n"})
    (repo.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert [one.subject for one in told(repo, diffs=False)] == ["Change", "Start"]
    with pytest.raises(SourceError, match="git cannot read"):
        told(repo)


def test_a_broken_ref_is_no_evidence_of_what_is_gone(repo: GitRepository) -> None:
    repo.commit("Start", {"a.txt": "one\n"})
    (repo.folder / ".git" / "refs" / "heads" / "broken").write_text("nonsense\n")
    with pytest.raises(SourceError):
        git_commits.reachable(opened(repo))


def test_without_git_the_reason_is_given(repo: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SourceError, match="git is not installed"):
        git_commits.open_repository(repo.folder, "")


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can give a folder to somebody else")
def test_a_repository_of_somebody_else_is_refused_with_what_to_do(repo: GitRepository) -> None:
    repo.commit("Start", {"a.txt": "one\n"})
    subprocess.run(["chown", "-R", "12345", str(repo.folder)], check=True)
    with pytest.raises(SourceError, match="belongs to another user") as raised:
        git_commits.open_repository(repo.folder, "")
    assert "safe.directory" in (raised.value.hint or "")


def test_a_repository_that_moves_is_told_of_once_it_has_come_to_rest(repo: GitRepository) -> None:
    repo.commit("Start", {"a.txt": "one\n"})
    repository = opened(repo)
    now = [0.0]
    watch = RefWatch([repository], cooldown=5.0, clock=lambda: now[0])
    assert watch.changed() == () and watch.wait() is None
    repo.commit("Second", {"a.txt": "two\n"})
    assert watch.changed() == () and watch.wait() == 5.0
    now[0] = 3.0
    repo.git("branch", "side")
    assert watch.changed() == () and watch.wait() == 5.0
    now[0] = 7.0
    assert watch.changed() == () and watch.wait() == 1.0
    now[0] = 8.0
    assert watch.changed() == (repository,) and watch.changed() == () and watch.wait() is None


@pytest.mark.parametrize(
    "moved", [("branch", "new"), ("tag", "v1"), ("checkout", "-q", "--detach"), ("pack-refs", "--all")]
)
def test_whatever_moves_a_ref_is_seen(repo: GitRepository, moved: tuple[str, ...]) -> None:
    repo.commit("Start", {"a.txt": "one\n"})
    now = [0.0]
    watch = RefWatch([opened(repo)], cooldown=0.0, clock=lambda: now[0])
    repo.git(*moved)
    assert watch.changed() == ()
    assert len(watch.changed()) == 1


def test_whoever_stops_reading_leaves_nobody_behind(repo: GitRepository) -> None:
    hashes = [repo.commit(f"Commit {number}", {"a.txt": f"{number}\n" * 2_000}) for number in range(30)]
    told = git_commits.commits(opened(repo), hashes * 20, diffs=True)
    assert next(told).hash == hashes[0]
    told.close()
    assert not [one for one in threading.enumerate() if one.name.startswith("octavo-git")]


def test_paths_to_watch_are_where_refs_are_and_where_a_clone_ends(repo: GitRepository) -> None:
    repo.commit("Start", {"a.txt": "one\n"})
    inside = repo.folder / ".git"
    assert set(watched_paths(opened(repo))) == {inside / name for name in ("HEAD", "packed-refs", "refs", "shallow")}
