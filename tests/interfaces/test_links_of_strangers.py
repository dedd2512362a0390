"""Commands that write into the folder they are called in, or into a client's: links there lead no write elsewhere."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from cli_calls import Octavo

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and pipes are those of POSIX systems")

PRECIOUS = "nobody's to change\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "file").write_text(PRECIOUS, "utf-8")
    return folder


def untouched(outside: Path) -> bool:
    return {path.name: path.read_text("utf-8") for path in outside.iterdir()} == {"file": PRECIOUS}


def linked(path: Path, target: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize("name", [".octavo", ".octavo/library.db", ".octavo/.gitignore"])
@pytest.mark.parametrize("leads_to", ["a folder", "a file", "nothing"])
def test_a_library_is_made_in_this_folder_and_not_where_a_link_leads(
    octavo: Octavo, environment: Path, outside: Path, name: str, leads_to: str
) -> None:
    target = {"a folder": outside, "a file": outside / "file", "nothing": outside / "new"}[leads_to]
    linked(environment / name, target)
    made = octavo("init", "--here")
    assert untouched(outside)
    if name != ".octavo/.gitignore":
        assert made.exit_code == 2 and "is a link: nothing is written where it leads" in made.stderr


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_what_lies_beside_a_library_to_be_is_not_written_through(
    octavo: Octavo, environment: Path, outside: Path, suffix: str
) -> None:
    linked(environment / ".octavo" / f"library.db{suffix}", outside / "file")
    octavo("init", "--here")
    assert untouched(outside)


def test_a_pipe_is_no_library(octavo: Octavo, environment: Path) -> None:
    (environment / ".octavo").mkdir()
    os.mkfifo(environment / ".octavo" / "library.db")
    made = octavo("init", "--here")
    assert made.exit_code == 3 and "is a pipe; a library is a file" in made.stderr


def test_who_takes_over_a_library_is_told_which_folders_it_reads(
    octavo: Octavo, environment: Path, tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    octavo("init", "--here")
    octavo("add", outside, "--name", "theirs")
    cloned = environment.rename(tmp_path / "cloned")
    monkeypatch.chdir(cloned)
    told = octavo("init", "--here")
    assert f"It has theirs already, the folder {outside}." in told.stdout.splitlines()
    assert json.loads(octavo("init", "--here", "--json").stdout)["collections"] == {"theirs": str(outside)}


@pytest.mark.parametrize("name", [".cursor", ".cursor/skills", ".cursor/skills/octavo"])
def test_a_skill_is_put_into_this_folder_and_not_where_a_link_leads(
    octavo: Octavo, environment: Path, outside: Path, name: str
) -> None:
    linked(environment / name, outside)
    refused = octavo("skill", "install", "--client", "cursor", "--here")
    assert refused.exit_code == 2 and "leads out of" in refused.stderr
    assert untouched(outside)


@pytest.mark.parametrize("target", ["file", "new"])
def test_a_skill_that_is_a_link_replaces_no_file_elsewhere(
    octavo: Octavo, environment: Path, outside: Path, target: str
) -> None:
    linked(environment / ".cursor" / "skills" / "octavo" / "SKILL.md", outside / target)
    assert octavo("skill", "install", "--client", "cursor", "--here").exit_code == 2
    assert untouched(outside)


def test_nobody_waits_for_a_client_whose_file_is_a_pipe(octavo: Octavo, environment: Path) -> None:
    for path in (
        environment / ".cursor" / "skills" / "octavo" / "SKILL.md",
        environment.parent / "home" / ".cursor" / "mcp.json",
    ):
        path.parent.mkdir(parents=True)
        os.mkfifo(path)
    for arguments in (
        ["skill", "install", "--client", "cursor", "--here"],
        ["mcp", "install", "--client", "cursor", "--write"],
    ):
        refused = octavo(*arguments)
        assert refused.exit_code != 0 and "not a regular file" in refused.stderr


def test_links_in_a_circle_are_named_like_any_path_that_cannot_be_read(
    octavo: Octavo, environment: Path, outside: Path
) -> None:
    octavo("init")
    octavo("add", outside, "--name", "notes")
    outside.rename(environment / "away")
    for circle in (outside, environment / "circle", environment / ".cursor", environment.parent / "home" / ".cursor"):
        circle.symlink_to(circle.name)
    for arguments, status in {
        ("index",): 6,
        ("add", "circle"): 2,
        ("memory", "sync", "circle"): 6,
        ("skill", "install", "--client", "cursor", "--here"): 6,
        ("mcp", "install", "--client", "cursor", "--write"): 6,
    }.items():
        refused = octavo(*arguments)
        assert (arguments, refused.exit_code) == (arguments, status), refused.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["add", "~nobody-of-this-name/notes"],
        ["search", "x", "--library", "~nobody-of-this-name/l.db"],
        ["memory", "sync", "~nobody-of-this-name/memories"],
        ["db", "backup", "~nobody-of-this-name/copy.db"],
    ],
    ids=" ".join,
)
def test_the_home_of_somebody_unknown_is_a_path_that_is_not_there(octavo: Octavo, arguments: list[str]) -> None:
    octavo("init")
    refused = octavo(*arguments)
    assert refused.exit_code in (0, 2, 4, 6) and "defect" not in refused.stderr
