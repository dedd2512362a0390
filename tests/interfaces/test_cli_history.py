"""`octavo log` and `octavo history`, over a repository made for the purpose."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from cli_calls import Location, Octavo
from git_repository import GitRepository
from library_places import Databases

from octavo.engine.wiring import open_library
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.mcp.instructions import holdings
from octavo.sources.git_commits import git_program

pytestmark = pytest.mark.skipif(git_program() is None, reason="git is not installed")


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    repo = GitRepository(tmp_path_factory.mktemp("repository") / "dome")
    repo.commit("Add the dome\n", {"dome.md": "# Dome\n\n" + "It turns.\n" * 9})
    repo.git("mv", "dome.md", "shutter.md")
    repo.commit("Call it by its name\n\nNobody says dome.\n", author="Zoë Quill <zoe@example.org>")
    repo.commit("Close when it rains\n\nThe sensor was read, and never looked at.\n", {"rain.py": "rain = True\n"})
    return repo


@pytest.fixture(scope="module")
def library(repo: GitRepository, databases: Databases) -> Location:
    path = databases.empty()
    with open_library(path, create=True) as engine:
        engine.add_collection("dome", repo.folder)
        engine.index()
    return path


def test_commits_are_found_and_cited(octavo: Octavo, library: Location, repo: GitRepository) -> None:
    told = json.loads(octavo("log", "rains", "-n", "1", "--library", library, "--json").stdout)
    (commit,) = told["commits"]
    assert (commit["hash"], commit["title"], commit["files"]) == (repo.head(), "Close when it rains", ["rain.py"])
    shown = octavo("log", "rains", "-n", "1", "--library", library).stdout
    assert shown.startswith("1. Close when it rains\n") and repo.head()[:10] in shown and "Ann Lee · 1 file" in shown


def test_a_run_tells_one_commit_and_several(location: Location, octavo: Octavo, tmp_path: Path) -> None:
    repo, library = GitRepository(tmp_path / "shed"), location
    repo.commit("Begin", {"a.md": "# A\n"})
    octavo("init", "--library", library)
    octavo("add", repo.folder, "--name", "shed", "--library", library)
    assert "shed: 1 added, 1 commit added\n" in octavo("index", "--library", library).stdout
    repo.commit("Go on")
    repo.commit("And on")
    assert "2 commits added\n" in octavo("index", "--library", library).stdout
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert "1 commit removed\n" in octavo("index", "--library", library).stdout


def test_commits_are_narrowed_and_may_be_none(octavo: Octavo, library: Location) -> None:
    found = octavo("log", "dome", "--author", "zoë", "--library", library, "--jsonl").stdout.splitlines()
    assert [json.loads(line)["title"] for line in found] == ["Call it by its name"]
    nothing = octavo("log", "dome", "--file", "*.rs", "--library", library)
    assert (nothing.exit_code, nothing.stdout) == (Exit.NO_MATCH, "No commit matches.\n")
    wrong = octavo("log", "dome", "--after", "the other day", "--library", library)
    assert wrong.exit_code == Exit.USAGE


def test_a_least_score_is_compared_with_the_score_that_a_commit_shows(octavo: Octavo, library: Location) -> None:
    every = json.loads(octavo("log", "dome", "--library", library, "--json").stdout)["commits"]
    best = max(commit["score"] for commit in every)
    above = octavo("log", "dome", "--min-score", f"{best - 0.001}", "--library", library, "--jsonl").stdout.splitlines()
    assert above and all(json.loads(line)["score"] > best - 0.002 for line in above)
    expected = [commit["hash"] for commit in every if commit["score"] > best - 0.001]
    assert [json.loads(line)["hash"] for line in above] == expected
    assert octavo("log", "dome", "--min-score", "1", "--library", library).exit_code == Exit.NO_MATCH or best == 1


def test_without_a_query_the_newest_commits_are_listed(octavo: Octavo, library: Location) -> None:
    titles = [line.split("  ")[2] for line in octavo("log", "--library", library).stdout.splitlines()]
    assert titles == ["Close when it rains", "Call it by its name", "Add the dome"]
    assert octavo("log", "--min-score", "0.5", "--library", library).exit_code == Exit.USAGE


@pytest.mark.parametrize(
    ("narrowed", "titles"),
    [
        (["--author", "ANN"], ["Close when it rains", "Add the dome"]),
        (["--author", "zoë", "--file", "*.md"], ["Call it by its name"]),
        (["--file", "*.py"], ["Close when it rains"]),
        (["--after", "1d"], []),
        (["--before", "2030-01-01", "-n", "1"], ["Close when it rains"]),
        (["-c", "dome", "--author", "nobody"], []),
    ],
)
def test_the_newest_commits_may_be_narrowed(
    octavo: Octavo, library: Location, narrowed: list[str], titles: list[str]
) -> None:
    told = octavo("log", *narrowed, "--library", library, "--json")
    assert [commit["title"] for commit in json.loads(told.stdout)["commits"]] == titles
    assert told.exit_code == (Exit.OK if titles else Exit.NO_MATCH)
    if not titles:
        assert octavo("log", *narrowed, "--library", library).stdout == "No commit matches.\n"


def test_a_file_is_followed_to_what_it_was_called_before(octavo: Octavo, library: Location) -> None:
    shown = octavo("history", "shutter.md", "--library", library).stdout.splitlines()
    assert shown[0].startswith("shutter.md") and shown[1] == "earlier dome.md"
    assert ["Call it by its name" in shown[2], "Add the dome" in shown[3], len(shown)] == [True, True, 4]
    told = json.loads(octavo("history", "dome/rain.py", "--library", library, "--json").stdout)
    assert [commit["title"] for commit in told["commits"]] == ["Close when it rains"]
    assert len(told["versions"]) == 1 and not told["more"]


def test_versions_are_listed_with_their_times_once_there_are_several(octavo: Octavo, tmp_path: Path) -> None:
    note = tmp_path / "notes" / "dome.md"
    note.parent.mkdir()
    for minute, text in enumerate(["one dome", "two domes, both open"]):
        note.write_text(text, "utf-8")
        os.utime(note, (minute * 60 + 1, minute * 60 + 1))
        for arguments in ([["init"], ["add", note.parent, "--name", "notes"]] if not minute else []) + [["index"]]:
            assert octavo(*arguments).exit_code == 0
    shown = octavo("history", "dome").stdout.splitlines()
    assert shown[0] == "dome.md  2 stored versions"
    assert [line.split("  indexed ")[0] for line in shown[1:3]] == ["version 1", "version 2"]


def test_what_is_neither_a_file_nor_a_memory_is_not_found(octavo: Octavo, library: Location) -> None:
    missing = octavo("history", "nowhere.md", "--library", library)
    assert (missing.exit_code, missing.stdout) == (Exit.NO_MATCH, "") and "nowhere.md" in missing.stderr
    assert "memories" not in octavo("list", "--library", library).stdout


def test_a_memory_has_its_history_still(databases: Databases, octavo: Octavo, library: Location) -> None:
    aside = databases.copy(library)
    item = json.loads(octavo("remember", "The dome is green.", "--library", aside, "--json").stdout)["item"]
    told = json.loads(octavo("history", item, "--library", aside, "--json").stdout)
    assert [change["version"] for change in told["changes"]] == [1]


def test_a_commit_is_shown_by_the_start_of_its_hash(octavo: Octavo, library: Location, repo: GitRepository) -> None:
    shown = octavo("get", repo.head()[:8], "--library", library).stdout
    assert shown.startswith(f"commit {repo.head()}\n") and "+rain = True" in shown


def test_a_plain_search_and_one_for_commits_find_them(octavo: Octavo, library: Location) -> None:
    found = json.loads(octavo("search", "rains", "--kind", "commit", "--library", library, "--json").stdout)["hits"]
    assert found[0]["title"] == "Close when it rains" and {one["kind"] for one in found} == {"commit"}


def test_a_collection_can_do_without_its_history(location: Location, octavo: Octavo, repo: GitRepository) -> None:
    library = location
    octavo("init", "--library", library)
    octavo("add", repo.folder, "--no-history", "--library", library)
    told = json.loads(octavo("index", "--library", library, "--json").stdout)
    assert told["collections"][0]["commits"] == 0
    octavo("add", repo.folder, "--history", "--max-commits", "2", "--library", library)
    told = json.loads(octavo("index", "--library", library, "--json").stdout)
    assert told["collections"][0]["commits"] == 2
    assert "2 commits added" not in octavo("index", "--library", library).stdout


def test_a_client_is_told_that_there_are_commits_and_a_hit_who_made_one(octavo: Octavo, library: Location) -> None:
    with open_library(library) as engine:
        assert "and 3 commits (kind:commit in a query) in" in holdings(engine)
    (hit,) = json.loads(octavo("search", "rains kind:commit", "-n", "1", "--library", library, "--json").stdout)["hits"]
    assert hit["author"] == "Ann Lee <ann@example.org>"
    shown = octavo("search", "rains kind:commit", "-n", "1", "--library", library).stdout
    assert f"{hit['modified_at'][:10]} · Ann Lee\n" in shown


def test_a_commit_whose_subject_has_the_word_is_found_and_the_footer_says_what_is_left_out(
    octavo: Octavo, tmp_path: Path, location: Location
) -> None:
    repo = GitRepository(tmp_path / "server")
    for number in range(12):
        repo.commit(f"Pin zebrafish to {number}", {"requirements.txt": f"zebrafish=={number}\n"})
        repo.commit(f"Close the connection of client {number}", {"server.py": f"clients = {number}\n"})
    repo.commit("Merge branch 'zebrafish'")
    octavo("init", "--library", location)
    octavo("add", repo.folder, "--library", location)
    octavo("index", "--library", location)

    def titles(*asked: str) -> list[str]:
        answer = json.loads(octavo("log", "zebrafish", *asked, "--library", location, "--json").stdout)
        return [commit["title"] for commit in answer["commits"]]

    named = titles("-n", "100")
    assert {f"Pin zebrafish to {number}" for number in range(12)} < set(named)
    assert named[-1] == "Merge branch 'zebrafish'"
    assert set(named) < set(titles("-n", "100", "--all"))
    shown = octavo("log", "zebrafish", "-n", "3", "--library", location).stdout.splitlines()[-1]
    assert shown.startswith("3 commits · 10 more") and "--all" in shown


def test_the_files_format_names_a_commit_by_the_files_it_changed_and_a_hit_once(
    octavo: Octavo, library: Location, repo: GitRepository
) -> None:
    def listed(*asked: str) -> list[str]:
        result = octavo("search", "dome", *asked, "--library", library, "--format", "files")
        return result.stdout.splitlines()

    commits = listed("--kind", "commit")
    assert str(repo.folder / "shutter.md") in commits
    assert len(set(commits)) == len(commits)
    assert set(commits) < set(listed())


def test_the_files_format_names_what_has_no_file_as_get_takes_it(octavo: Octavo, library: Location) -> None:
    def listed(*asked: str) -> list[str]:
        return octavo(*asked, "--library", library, "--format", "files").stdout.splitlines()

    for place in (
        *listed("search", "Add the dome", "--kind", "commit", "-n", "1"),
        *listed("log", "Add the dome", "-n", "1"),
    ):
        assert octavo("get", place, "--library", library).stdout.startswith("commit ")
        assert listed("get", place) == [place]


def test_the_files_format_of_commits_lists_what_they_changed_and_is_still_there(
    octavo: Octavo, library: Location, repo: GitRepository
) -> None:
    def listed(*asked: str) -> list[str]:
        return octavo(*asked, "--library", library, "--format", "files").stdout.splitlines()

    assert listed("log", "rains", "-n", "1") == [str(repo.folder / "rain.py")]
    files = [str(repo.folder / "rain.py"), str(repo.folder / "shutter.md")]
    assert [place for place in listed("log") if "/.git/" not in place and not place.startswith("dome/")] == files
    assert listed("history", "shutter.md") == [str(repo.folder / "shutter.md")]
    assert listed("history", "dome.md") == []


def test_memories_are_in_no_folder(location: Location, octavo: Octavo) -> None:
    library = location
    octavo("init", "--library", library)
    assert octavo("remember", "The dome key is in the drawer", "--library", library).exit_code == 0
    assert octavo("list", "--library", library, "--format", "files").stdout == ""
    for asked in (["list", "--documents"], ["search", "drawer"], ["recall", "drawer"], ["recall"]):
        (place,) = octavo(*asked, "--library", library, "--format", "files").stdout.splitlines()
        assert "The dome key is in the drawer" in octavo("get", place, "--library", library).stdout
    with open_library(library) as engine:
        assert "- memories: 1 document in no folder" in holdings(engine)
