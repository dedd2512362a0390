"""Making a library and saying what belongs to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_calls import Recto, write_vault


def test_a_first_use_needs_four_commands(recto: Recto, tmp_path: Path) -> None:
    folder = write_vault(tmp_path / "notes")
    for arguments in (["init"], ["add", folder, "--name", "notes"], ["index"]):
        assert recto(*arguments).exit_code == 0
    found = json.loads(recto("search", "--json", "when to prune").stdout)
    assert found["hits"][0]["uri"] == "garden/apples.md"
    assert (tmp_path / "home" / "data" / "recto" / "library.db").is_file()


def test_making_a_library_again_keeps_what_it_holds(recto: Recto, tmp_path: Path) -> None:
    recto("init")
    recto("add", write_vault(tmp_path / "notes"))
    assert recto("init").exit_code == 0
    assert json.loads(recto("list", "--json").stdout)["collections"][0]["name"] == "notes"


def test_a_collection_is_called_as_its_folder_unless_said(recto: Recto, tmp_path: Path) -> None:
    recto("init")
    folder = tmp_path / "my: notes"
    folder.mkdir()
    assert json.loads(recto("add", folder, "--json").stdout)["collection"]["name"] == "my- notes"


def test_what_add_was_told_is_what_list_says(recto: Recto, tmp_path: Path) -> None:
    recto("init")
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
    recto("add", folder, *told, "--intelligent-heading-depth")
    assert json.loads(recto("list", "--json").stdout)["collections"] == [
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
    recto("index")
    assert recto("list", "--documents").stdout == "notes/garden/apples.md\n"


def test_a_collection_does_not_change_its_folder_unasked(recto: Recto, tmp_path: Path) -> None:
    recto("init")
    one, other = write_vault(tmp_path / "one"), write_vault(tmp_path / "other")
    recto("add", one, "--name", "notes")
    refused = recto("add", other, "--name", "notes")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--replace" in refused.stderr
    assert recto("add", other, "--name", "notes", "--replace").exit_code == 0
    assert recto("list", "--format", "files").stdout == f"{other}\n"


def test_a_removed_collection_leaves_its_folder(recto: Recto, tmp_path: Path) -> None:
    recto("init")
    folder = write_vault(tmp_path / "notes")
    recto("add", folder)
    recto("index")
    assert recto("remove", "notes").stdout == "Removed notes; its folder is as it was.\n"
    assert json.loads(recto("list", "--json").stdout) == {"collections": []}
    assert (folder / "bread.md").is_file()


def test_removing_an_unknown_collection_removes_none(recto: Recto, tmp_path: Path) -> None:
    recto("init")
    recto("add", write_vault(tmp_path / "notes"))
    assert recto("remove", "notes", "nonsense").exit_code == 1
    assert recto("list", "--format", "csv").stdout.count("\n") == 2


@pytest.mark.usefixtures("vault")
def test_documents_are_listed_in_order(recto: Recto) -> None:
    assert recto("list", "--documents").stdout == "notes/bread.md\nnotes/garden/apples.md\nnotes/tokyo.md\n"


def test_quiet_leaves_out_confirmations(recto: Recto, tmp_path: Path) -> None:
    folder = write_vault(tmp_path / "notes")
    for arguments in (["init", "-q"], ["add", folder, "-q"], ["--quiet", "index"], ["remove", "-q", "notes"]):
        result = recto(*arguments)
        assert (result.exit_code, result.output) == (0, "")


def test_a_library_made_here_is_found_from_inside(
    recto: Recto, tmp_path: Path, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recto("init", "--here")
    library = environment / ".recto" / "library.db"
    assert library.is_file()
    assert (environment / ".recto" / ".gitignore").read_text() == "library.db*\n"
    inside = environment / "deep" / "inside"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    shown = json.loads(recto("config", "show", "--origin", "--json").stdout)["settings"]
    assert shown["library"] == {"value": str(library), "origin": "recto init --here"}
    monkeypatch.setenv("RECTO_LIBRARY", str(tmp_path / "other.db"))
    assert json.loads(recto("config", "path", "--json").stdout)["library"] == str(tmp_path / "other.db")


def test_a_library_that_came_with_a_folder_is_not_used_unasked(
    recto: Recto, tmp_path: Path, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recto("init", "--here")
    copy = tmp_path / "cloned"
    environment.rename(copy)
    monkeypatch.chdir(copy)
    paths = json.loads(recto("config", "path", "--json").stdout)
    assert paths["library"] == str(tmp_path / "home" / "data" / "recto" / "library.db")
    assert paths["unused"] == str(copy / ".recto" / "library.db")
    recto("init", "--here")
    assert json.loads(recto("config", "path", "--json").stdout)["library"] == str(copy / ".recto" / "library.db")


def test_here_and_a_library_contradict_each_other(recto: Recto, tmp_path: Path) -> None:
    assert recto("init", "--here", "--library", tmp_path / "x.db").exit_code == 2
