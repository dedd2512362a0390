"""Making a library and saying what belongs to it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from cli_calls import Octavo, Vault, surroundings, write_vault
from library_places import Databases, ServerDatabases


def test_a_first_use_needs_four_commands(databases: Databases, octavo: Octavo, tmp_path: Path) -> None:
    folder = write_vault(tmp_path / "notes")
    for arguments in (["init"], ["add", folder, "--name", "notes"], ["index"]):
        assert octavo(*arguments).exit_code == 0
    found = json.loads(octavo("search", "--json", "when to prune").stdout)
    assert found["hits"][0]["uri"] == "garden/apples.md"
    if not isinstance(databases, ServerDatabases):
        assert (tmp_path / "home" / "data" / "octavo" / "library.db").is_file()


def test_starting_with_a_folder_makes_a_library_that_answers_and_says_three_next_commands(
    octavo: Octavo, tmp_path: Path
) -> None:
    folder = write_vault(tmp_path / "notes")
    said = octavo("start", folder)
    assert said.exit_code == 0, said.output
    assert "notes: " in said.stdout and said.stdout.count("\n  octavo ") == 3
    assert json.loads(octavo("search", "--json", "when to prune").stdout)["hits"][0]["uri"] == "garden/apples.md"
    (folder / "lantern.md").write_text("# Lantern\n\nA lantern hangs beside the door.\n")
    again = octavo("start", folder / "garden")
    assert "is in the library already: notes." in again.stderr
    assert json.loads(octavo("search", "--json", "lantern").stdout)["hits"][0]["uri"] == "lantern.md"
    assert [each["name"] for each in json.loads(octavo("list", "--json").stdout)["collections"]] == ["notes"]
    assert octavo("start", folder, "--open", "--tui").exit_code == 2
    assert octavo("start", folder, "--open").exit_code == 0, "nobody watches: nothing is opened"


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is needed")
def test_a_start_that_is_watched_learns_by_itself_and_says_when_it_is_done(tmp_path: Path) -> None:
    import pty

    (folder := tmp_path / "notes").mkdir()
    for number in range(1_050):  # more than are learnt at once
        (folder / f"{number}.md").write_text(f"Lamp {number}.\n")
    settings = {**surroundings(tmp_path / "home"), "OCTAVO_LIBRARY": str(tmp_path / "library.db"), "TERM": "xterm"}
    del settings["OCTAVO_EMBEDDING_PROVIDER"]
    ours, theirs = pty.openpty()
    started = subprocess.Popen(
        [sys.executable, "-m", "octavo", "start", str(folder)], stdout=subprocess.PIPE, stderr=theirs, env=settings
    )
    os.close(theirs)
    said = b""
    with suppress(OSError):  # Linux says so when the other end is closed
        while part := os.read(ours, 65_536):
            said += part
    os.close(ours)
    printed, _ = started.communicate()
    assert started.returncode == 0
    assert b"--wait-full" not in printed, "it does so itself"
    assert b"You can search already" in said and said.count(b" left") and b"\xe2\x80\xa6" not in said
    assert b"All passages are learnt." in said


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is needed")
def test_octavo_alone_makes_a_library_of_the_folder_once_somebody_in_a_terminal_agrees(tmp_path: Path) -> None:
    import pty

    taken = socket.create_server(("127.0.0.1", 0))  # as by a server of another library
    folder, library = write_vault(tmp_path / "notes"), tmp_path / "library.db"
    settings = surroundings(tmp_path / "home") | {
        "OCTAVO_LIBRARY": str(library),
        "OCTAVO_SERVE_PORT": str(taken.getsockname()[1]),
        "NO_COLOR": "1",
        "BROWSER": "echo a browser shows %s",
        "TERM": "xterm",
    }
    alone = [sys.executable, "-m", "octavo"]
    piped = subprocess.run(alone, cwd=folder, env=settings, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert "octavo start" in piped.stdout and "[Y/n]" not in piped.stdout and not library.exists()

    def answering(key: bytes, until: bytes) -> bytes:
        ours, theirs = pty.openpty()
        started = subprocess.Popen(alone, cwd=folder, env=settings, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        said = b""
        with suppress(OSError):  # Linux says so when the other end is closed
            while until not in said:
                said += os.read(ours, 65_536)
                if said.rstrip().endswith(b"[Y/n]:"):
                    os.write(ours, key)
        if started.poll() is None:
            started.send_signal(signal.SIGTERM)
        with suppress(OSError):
            while os.read(ours, 65_536):
                pass
        started.wait()
        os.close(ours)
        return said

    answering(b"n\n", b"never said")
    assert not library.exists()
    with taken:
        said = answering(b"\n", b"a browser shows http")
    assert said.count(b"\n  octavo ") == 6, "three before the question, three after it"
    assert b"notes: " in said and b"Serving " in said


def test_adding_a_folder_twice_or_one_around_or_inside_of_it_is_told_with_what_to_do(
    octavo: Octavo, tmp_path: Path
) -> None:
    folder = write_vault(tmp_path / "notes")
    octavo("init")
    octavo("add", folder)
    assert "notes is the folder" in octavo("add", folder).stdout
    assert "nothing was changed" in octavo("add", folder).stdout
    assert "nothing was changed" not in octavo("add", folder, "--tag", "home").stdout
    inside = octavo("add", folder / "garden").stdout
    assert f"It lies in notes, {folder}: its files will be found twice" in inside
    assert "octavo remove garden leaves one" in inside
    octavo("remove", "garden")
    around = json.loads(octavo("add", tmp_path, "--name", "all", "--json").stdout)
    assert around["overlaps"] == [{"name": "notes", "root": str(folder), "relation": "within"}]
    octavo("remove", "all")
    assert "octavo remove again leaves one" in octavo("add", folder, "--name", "again").stdout


def test_a_file_that_is_added_is_called_a_file(octavo: Octavo, tmp_path: Path) -> None:
    folder = write_vault(tmp_path / "notes")
    octavo("init")
    assert (
        f"Added apples.md, the file {folder / 'garden' / 'apples.md'}."
        in octavo("add", folder / "garden" / "apples.md").stdout
    )
    assert "found twice" not in octavo("add", folder / "garden" / "apples.md").stdout
    (folder / "garden" / "sheds").mkdir()
    assert "found twice" not in octavo("add", folder / "garden" / "sheds").stdout, "beside the file, not in it"
    around = octavo("add", folder / "garden").stdout
    assert f"apples.md, {folder / 'garden' / 'apples.md'}, lies in it: its files will be found twice" in around


def test_making_a_library_where_nothing_can_be_written_is_no_defect(octavo: Octavo, environment: Path) -> None:
    (environment / ".octavo").write_text("in the way")
    refused = octavo("init", "--here")
    assert refused.exit_code != 70 and "no library can be made in" in refused.stderr
    assert "hint: `octavo init` without --here" in refused.stderr


def test_making_a_library_again_keeps_what_it_holds(octavo: Octavo, tmp_path: Path) -> None:
    octavo("init")
    octavo("add", write_vault(tmp_path / "notes"))
    assert octavo("init").exit_code == 0
    assert json.loads(octavo("list", "--json").stdout)["collections"][0]["name"] == "notes"


def test_a_collection_is_called_as_its_folder_unless_said(octavo: Octavo, tmp_path: Path) -> None:
    octavo("init")
    folder = tmp_path / "my: notes"
    folder.mkdir()
    assert json.loads(octavo("add", folder, "--json").stdout)["collection"]["name"] == "my- notes"


def test_what_add_was_told_is_what_list_says(octavo: Octavo, tmp_path: Path) -> None:
    octavo("init")
    folder = write_vault(tmp_path / "notes")
    told = [
        "--include",
        "garden/**",
        "--ignore",
        "*.txt",
        "--tag",
        "#home",
        "--kind",
        "doc",
        "--max-heading-depth",
        "2",
    ]
    octavo("add", folder, *told, "--intelligent-heading-depth")
    assert json.loads(octavo("list", "--json").stdout)["collections"] == [
        {
            "name": "notes",
            "root": str(folder),
            "present": True,
            "indexed": 0,
            "skipped": 0,
            "failed": 0,
            "include": ["garden/**"],
            "ignore": ["*.txt"],
            "tags": ["home"],
            "kind": "doc",
            "commits": 0,
            "max_heading_depth": 2,
            "intelligent_heading_depth": True,
        }
    ]
    octavo("index")
    assert octavo("list", "--documents").stdout == "notes/garden/apples.md\n"


def test_a_collection_does_not_change_its_folder_unasked(octavo: Octavo, tmp_path: Path) -> None:
    octavo("init")
    one, other = write_vault(tmp_path / "one"), write_vault(tmp_path / "other")
    octavo("add", one, "--name", "notes")
    refused = octavo("add", other, "--name", "notes")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--replace" in refused.stderr
    assert octavo("add", other, "--name", "notes", "--replace").exit_code == 0
    assert octavo("list", "--format", "files").stdout == f"{other}\n"


def test_a_collection_added_again_keeps_the_settings_that_are_not_named(octavo: Octavo, tmp_path: Path) -> None:
    octavo("init")
    one, other = write_vault(tmp_path / "one"), write_vault(tmp_path / "other")
    octavo("add", one, "--name", "notes", "--ignore", "*.txt", "--tag", "home", "--max-heading-depth", "2")
    moved = octavo("add", other, "--name", "notes", "--replace", "--tag", "work", "--json")
    told = json.loads(moved.stdout)["collection"]
    assert (told["root"], told["ignore"], told["tags"], told["max_heading_depth"]) == (
        str(other),
        ["*.txt"],
        ["work"],
        2,
    )
    fresh = json.loads(octavo("add", other, "--name", "notes", "--reset", "--json").stdout)["collection"]
    assert (fresh["ignore"], fresh["tags"], "max_heading_depth" in fresh) == ([], [], False)


def test_a_removed_collection_leaves_its_folder(octavo: Octavo, tmp_path: Path) -> None:
    octavo("init")
    folder = write_vault(tmp_path / "notes")
    octavo("add", folder)
    octavo("index")
    assert octavo("remove", "notes").stdout == "Removed notes; its folder is as it was.\n"
    assert json.loads(octavo("list", "--json").stdout) == {"collections": []}
    assert (folder / "bread.md").is_file()


def test_removing_an_unknown_collection_removes_none(octavo: Octavo, tmp_path: Path) -> None:
    octavo("init")
    octavo("add", write_vault(tmp_path / "notes"))
    assert octavo("remove", "notes", "nonsense").exit_code == 1
    assert octavo("list", "--format", "csv").stdout.count("\n") == 2


@pytest.mark.usefixtures("vault")
def test_documents_are_listed_in_order(octavo: Octavo) -> None:
    assert octavo("list", "--documents").stdout == "notes/bread.md\nnotes/garden/apples.md\nnotes/tokyo.md\n"


def test_quiet_leaves_out_confirmations(octavo: Octavo, tmp_path: Path) -> None:
    folder = write_vault(tmp_path / "notes")
    for arguments in (["init", "-q"], ["add", folder, "-q"], ["--quiet", "index"], ["remove", "-q", "notes"]):
        result = octavo(*arguments)
        assert (result.exit_code, result.output) == (0, "")


@pytest.mark.one_engine
def test_a_library_made_here_is_found_from_inside(
    octavo: Octavo, tmp_path: Path, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    octavo("init", "--here")
    library = environment / ".octavo" / "library.db"
    assert library.is_file()
    assert (environment / ".octavo" / ".gitignore").read_text() == "*\n"
    inside = environment / "deep" / "inside"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    shown = json.loads(octavo("config", "show", "--origin", "--json").stdout)["settings"]
    assert shown["library"] == {"value": str(library), "origin": "octavo init --here"}
    monkeypatch.setenv("OCTAVO_LIBRARY", str(tmp_path / "other.db"))
    assert json.loads(octavo("config", "path", "--json").stdout)["library"] == str(tmp_path / "other.db")


@pytest.mark.one_engine
def test_a_library_that_came_with_a_folder_is_not_used_unasked(
    octavo: Octavo, tmp_path: Path, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    octavo("init", "--here")
    copy = tmp_path / "cloned"
    environment.rename(copy)
    monkeypatch.chdir(copy)
    paths = json.loads(octavo("config", "path", "--json").stdout)
    assert paths["library"] == str(tmp_path / "home" / "data" / "octavo" / "library.db")
    assert paths["unused"] == str(copy / ".octavo" / "library.db")
    octavo("init", "--here")
    assert json.loads(octavo("config", "path", "--json").stdout)["library"] == str(copy / ".octavo" / "library.db")


def test_here_and_a_library_contradict_each_other(octavo: Octavo, tmp_path: Path) -> None:
    assert octavo("init", "--here", "--library", tmp_path / "x.db").exit_code == 2


def test_the_file_of_a_passage_is_opened_by_its_address(octavo: Octavo, vault: Vault) -> None:
    told = octavo("open", "garden/apples.md", "--print")
    assert (told.exit_code, told.stdout.strip()) == (0, (vault.folder / "garden" / "apples.md").as_uri())


def test_without_a_passage_the_library_is_opened_in_the_browser(
    octavo: Octavo, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert octavo("open", "--print").stdout.startswith("http://127.0.0.1:7411/login?token=")
    ports: list[int | None] = []
    monkeypatch.setattr(
        "octavo.interfaces.cli.commands.serve.serve_library",
        lambda choices, given, tools, show: ports.append(given["serve.port"]),
    )
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("OCTAVO_SERVE_PORT", str(taken.getsockname()[1]))
        assert octavo("open").exit_code == 0
    assert octavo("open").exit_code == 0
    assert ports == [0, None]


def test_an_address_of_a_server_is_no_library(octavo: Octavo) -> None:
    said = octavo("--library", "http://search.example:7411", "search", "dome")
    assert said.exit_code == 2
    assert "http://search.example:7411 is no library" in said.stderr and "octavo serve" in said.stderr


def test_a_project_that_is_mistyped_is_not_made_by_what_reads(octavo: Octavo, tmp_path: Path) -> None:
    folder = write_vault(tmp_path / "notes")
    assert octavo("start", folder).exit_code == 0
    for command in (["search", "prune"], ["recall"], ["status"], ["index"], ["list"], ["ask", "prune?"]):
        refused = octavo(*command, "--project", "defualt")
        assert refused.exit_code == 4 and "has no project defualt\nhint: it has: default" in refused.stderr, command
    assert octavo("remember", "The pump is new.", "--project", "garden").exit_code == 0
    assert octavo("add", folder, "--project", "orchard").exit_code == 0
    projects = json.loads(octavo("projects", "list", "--json").stdout)["projects"]
    assert sorted(project["name"] for project in projects) == ["default", "garden", "orchard"]


@pytest.mark.one_engine
def test_values_of_a_property_are_counted_and_all_of_them_shown_on_request(octavo: Octavo, environment: Path) -> None:
    folder = environment / "books"
    folder.mkdir()
    for number in range(7):
        (folder / f"{number}.md").write_text(f"---\nauthor: Author {number}\n---\nText.\n")
    for arguments in (["init"], ["add", folder, "--name", "books"], ["index"]):
        octavo(*arguments)
    assert " and 2 more (--all-values)" in octavo("list", "--keys").stdout
    for options, shown in (([], 5), (["--all-values"], 7)):
        (key,) = json.loads(octavo("list", "--keys", *options, "--json").stdout)["keys"]
        assert (key["key"], len(key["values"]), key["total"]) == ("author", shown, 7)
