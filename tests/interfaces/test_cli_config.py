"""`octavo config`: describing settings and changing them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_calls import Octavo, Shell

from octavo.config.setting_descriptions import described


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "config" / "octavo" / "config.toml"


def test_a_setting_that_is_set_is_shown_with_the_file_it_stands_in(octavo: Octavo, file: Path) -> None:
    done = json.loads(octavo("config", "set", "retrieval.limit", "7", "--json").stdout)
    assert done == {"name": "retrieval.limit", "value": 7, "file": str(file), "overridden_by": None}
    assert json.loads(octavo("config", "get", "retrieval.limit", "--json").stdout)["origin"] == str(file)
    octavo("config", "unset", "retrieval.limit")
    assert octavo("config", "get", "retrieval.limit").stdout == "10\n"


def test_a_setting_of_the_environment_counts_before_the_file(octavo: Octavo) -> None:
    told = octavo("config", "set", "embedding.provider", "bundled").stdout
    assert "It has no effect here: OCTAVO_EMBEDDING_PROVIDER sets it too" in told


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["retreival.limit", "7"], "did you mean retrieval.limit?"),
        (["search.limt", "7"], "did you mean retrieval.limit?"),
        (["search.nonsense", "7"], "`octavo config show` lists every setting"),
        (["retrieval.limit", "none"], "see `octavo config describe` for every setting"),
        (["--project-file", "serve.port", "80"], "a project file may set: project, chunking, retrieval, ingest.ignore"),
    ],
)
def test_what_would_not_load_is_refused_and_no_file_is_made(
    octavo: Octavo, file: Path, arguments: list[str], hint: str
) -> None:
    result = octavo("config", "set", *arguments)
    assert (result.exit_code, result.stdout) == (3, "")
    assert hint in result.stderr
    assert not file.exists()


def test_a_description_says_everything_about_a_setting(octavo: Octavo) -> None:
    answer = json.loads(octavo("config", "describe", "retrieval.limit", "--json").stdout)
    assert answer == {
        "name": "retrieval.limit",
        "meaning": "How many hits an answer has at most.",
        "type": "integer, 1 to 1,000",
        "default": 10,
        "variable": "OCTAVO_RETRIEVAL_LIMIT",
        "project_file": True,
        "value": 10,
        "origin": "default",
    }
    assert "OCTAVO_RETRIEVAL_LIMIT" in octavo("config", "describe", "retrieval.limit").stdout


def test_a_section_and_the_whole_are_described_setting_by_setting(octavo: Octavo) -> None:
    section = json.loads(octavo("config", "describe", "retrieval", "--json").stdout)["settings"]
    assert list(section) == [name for name in described() if name.startswith("retrieval.")]
    every = [json.loads(line)["name"] for line in octavo("config", "describe", "--jsonl").stdout.splitlines()]
    assert every == list(described())
    assert "did you mean retrieval" in octavo("config", "describe", "retreival").stderr


def editor(monkeypatch: pytest.MonkeyPatch, folder: Path, program: str) -> None:
    script = folder / "editor"
    script.write_text(f"#!/bin/sh\n{program}\n", "utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(script))


def test_what_an_editor_leaves_is_taken_over_if_it_is_valid(
    shell: Shell, tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, tmp_path, "sed -i.bak 's/^# limit = 10/limit = 4/' \"$1\"")
    done = shell("config", "edit", "--json")
    assert json.loads(done.stdout) == {"file": str(file), "changed": True}
    assert "\nlimit = 4\n" in file.read_text("utf-8")
    assert json.loads(shell("config", "edit", "--json").stdout)["changed"] is False


def test_what_an_editor_breaks_is_left_beside_and_the_file_stays(
    shell: Shell, tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell("config", "set", "retrieval.limit", "7")
    before = file.read_text("utf-8")
    editor(monkeypatch, tmp_path, "echo 'limit =' >> \"$1\"")
    done = shell("config", "edit")
    assert (done.returncode, done.stdout) == (3, "")
    draft = Path(done.stderr.rpartition("what you wrote is in ")[2].strip())
    assert (file.read_text("utf-8"), draft.read_text("utf-8")) == (before, before + "limit =\n")
