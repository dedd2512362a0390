"""Sessions, projects, canonical documents, memory files and embedding profiles on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_calls import Location, Octavo
from click.testing import CliRunner, Result

from octavo.interfaces.cli.main import cli


@pytest.fixture
def library(location: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OCTAVO_LIBRARY", str(location))
    monkeypatch.setenv("OCTAVO_DAEMON_ENABLED", "false")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=given, catch_exceptions=False)


def answered(*arguments: str, given: str | None = None) -> Any:
    done = run(*arguments, "--json", given=given)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_session_from_its_start_to_its_summary(library: Path) -> None:
    begun = answered("sessions", "start", "Valves", "--author", "me")
    assert run("sessions", "list", "--open").stdout.startswith(begun["session"])
    answered("remember", "The left valve leaks.", "--session", begun["session"])
    ended = answered("sessions", "end", "Valves", "Both", "valves", "were", "replaced.")
    assert (ended["memories"], ended["summary"]) == (2, "Both valves were replaced.")
    assert run("sessions", "list", "--open").stdout == "No sessions.\n"
    assert run("sessions", "end", "nowhere").exit_code == 1


def test_a_project_is_made_for_a_folder_and_kept_apart(library: Path) -> None:
    answered("remember", "The key is under the mat.")
    assert run("projects", "resolve").exit_code == 1
    made = answered("projects", "resolve", "--create", "--repo", "git@example.org:acme/site.git")
    assert (made["project"], made["created"]) == ("site", True)
    assert answered("projects", "resolve", "--repo", "https://example.org/acme/site")["by"] == "repository"
    assert run("recall", "key", "--project", "site").exit_code == 1
    assert {project["name"] for project in answered("projects", "list")["projects"]} == {"default", "site"}
    assert answered("projects", "list", "--workspace", "nobody") == {"projects": []}


def test_a_canonical_document_is_put_read_and_packed(library: Path, bare_location: Location) -> None:
    (library / "plan.md").write_text("# Plan\n\n## First\n\nThis.\n\n## Then\n\nThat.\n", "utf-8")
    assert run("canonical", "list", "--library", str(bare_location)).exit_code == 4  # there is no library yet
    assert answered("canonical", "upsert", "plans/one", "plan.md", "--class", "implementation_plan")["version"] == 1
    assert answered("canonical", "upsert", "plans/one", given="# Plan\n\n## First\n\nThis.\n")["version"] == 2
    assert run("canonical", "get", "plans/one", "first").stdout == "## First\n\nThis.\n"
    assert run("canonical", "get", "plans/one", "--version", "1").stdout.endswith("That.\n")
    assert [section["anchor"] for section in answered("canonical", "outline", "plans/one")["sections"]] == [
        "plan",
        "first",
    ]
    pack = answered("canonical", "context-pack", "first", "--tokens", "100")
    assert pack["tokens"] <= 100
    assert pack["passages"][0]["citation"].startswith("plans/one#")
    assert run("canonical", "context-pack", "--class", "nothing").exit_code == 1
    assert run("canonical", "get", "nowhere").exit_code == 1


def test_memories_are_kept_in_step_with_a_folder_and_found_by_what_they_are_about(library: Path) -> None:
    answered("remember", "We will refactor [[src/server.py]] soon.")
    (written,) = answered("memory", "sync")["written"]
    path = library / ".memories" / written
    path.write_text(path.read_text("utf-8").replace("soon", "later"), "utf-8")
    assert answered("memory", "sync")["revised"] == [written]
    assert run("memory", "sync").stdout == ".memories is in sync.\n"
    (library / ".memories" / "bad.md").write_text("---\ntype: nonsense\n---\nx\n", "utf-8")
    left = run("memory", "sync")
    assert left.exit_code == 6
    assert "bad.md  skipped: there is no type of memory nonsense" in left.stdout
    found = answered("memory", "linked", "src/server.py", "--type", "refactors")
    assert [memory["text"] for memory in found["memories"]] == ["We will refactor [[src/server.py]] later."]
    assert run("memory", "linked", "src/nothing.py").exit_code == 1


def test_an_embedding_profile_is_made_filled_and_left_again(library: Path) -> None:
    answered("remember", "The boiler is in the cellar.")
    answered("profiles", "set", "small", "--provider", "hashing", "--dimensions", "32")
    refused = run("profiles", "activate", "small")
    assert refused.exit_code != 0
    assert "octavo profiles reindex small" in refused.stderr
    assert answered("profiles", "reindex", "small", "--wait")["profile"]["state"] == "active"
    states = {profile["name"]: profile["state"] for profile in answered("profiles", "list")["profiles"]}
    assert states == {"configured": "idle", "small": "active"}
    assert answered("profiles", "activate", "configured")["profile"]["state"] == "active"
    assert run("profiles", "set", "x", "--provider", "ollama").exit_code == 2


def test_a_memory_does_not_wait_for_a_library_that_is_still_being_embedded(library: Path) -> None:
    notes = library / "notes"
    notes.mkdir()
    for number in range(300):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nBoiler {number} stands in room {number}.\n")
    answered("init")
    answered("add", str(notes), "--name", "notes")
    answered("index", "--no-embed")
    answered("remember", "The key is under the mat.")
    assert {job["state"] for job in answered("jobs", "list")["jobs"]} == {"ready"}
    found = answered("search", "the key under a mat", "-c", "memories", "--profile", "dense_only")
    assert [hit["title"] for hit in found["hits"]] == ["The key is under the mat."]
    assert found["freshness"]["pending"] == 300


def test_a_memory_of_a_library_with_its_vectors_leaves_nothing_to_do(library: Path) -> None:
    answered("remember", "The key is under the mat.")
    assert [job["state"] for job in answered("jobs", "list")["jobs"]] == ["done"]


def test_a_search_where_only_a_memory_was_tells_to_add_a_folder(octavo: Octavo) -> None:
    octavo("init")
    octavo("remember", "The door key hangs in the kitchen")
    octavo("forget", "door key")
    refused = octavo("search", "door")
    assert refused.exit_code == 4 and "run `octavo add FOLDER --name NAME`, then `octavo index`" in refused.stderr


def test_a_memory_is_forgotten_by_a_part_of_its_title_that_no_other_has(octavo: Octavo) -> None:
    octavo("init")
    octavo("remember", "The deploy key is rotated every March")
    octavo("remember", "The door key hangs in the kitchen")
    several = octavo("forget", "key")
    assert several.exit_code != 0 and "2 memories have key in their title" in several.stderr
    assert "The deploy key is rotated every March" in octavo("forget", "deploy key").stdout
    assert octavo("forget", "deploy key").stdout.startswith("Forgotten before: mem_")
