"""Memories across processes: what one process was told, the next one finds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from octavo.engine.wiring import open_library
from octavo.interfaces.cli.main import cli
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import RecallRequest, RememberRequest

SETTINGS = {"embedding.provider": "hashing"}


def environment(library: Path) -> dict[str, str | None]:
    """What a command is told; `None` takes away what the person running the tests has set."""
    return dict.fromkeys(name for name in os.environ if name.startswith(("OCTAVO_", "XDG_"))) | {
        "HOME": str(library.parent),
        "XDG_CONFIG_HOME": str(library.parent / "config"),
        "OCTAVO_LIBRARY": str(library),
        "OCTAVO_EMBEDDING_PROVIDER": "hashing",
        "COLUMNS": "80",
    }


def octavo(library: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, env=environment(library))


def answered(library: Path, *arguments: str) -> Any:
    done = octavo(library, *arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def answered_by_a_process(library: Path, *arguments: str, given: str | None = None) -> Any:
    environ = {name: value for name, value in (os.environ | environment(library)).items() if value is not None}
    command = [sys.executable, "-m", "octavo", *arguments, "--json"]
    done = subprocess.run(command, env=environ, input=given, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_a_memory_committed_by_one_process_is_found_by_the_next_and_by_one_that_was_open(tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    with open_library(library, create=True, settings=SETTINGS) as engine:
        remember(engine, RememberRequest(text="The boiler is in the cellar."))
        assert len(recall(engine, RecallRequest("boiler valve")).memories) == 1
        done = answered_by_a_process(library, "remember", "--tag", "house", given="The valve is behind the boiler.\n")
        assert done["action"] == "created"
        assert recall(engine, RecallRequest("valve")).memories[0].item == done["item"]
        answered_by_a_process(library, "forget", done["item"])
        assert done["item"] not in [memory.item for memory in recall(engine, RecallRequest("valve")).memories]


def test_a_life_of_a_memory_on_the_command_line(tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    text = "We ship every Monday at nine, after the tests have passed twice on both machines and nobody objects."
    made = answered(library, "remember", text, "--kind", "decision", "--title", "Shipping", "--author", "a person")
    edited = answered(library, "remember", text.replace("nine", "ten"), "--kind", "decision")
    assert (edited["item"], edited["version"], edited["action"]) == (made["item"], 2, "revised")
    assert answered(library, "memory", "pin", made["item"])["pinned"]
    changes = answered(library, "history", "Shipping")["changes"]
    assert [change["action"] for change in changes] == ["created", "revised", "pinned"]
    shown = octavo(library, "memory", "diff", "Shipping").stdout
    assert shown.startswith(f"--- {made['item']} v1\n+++ {made['item']} v2\n")
    assert answered(library, "memory", "restore", "Shipping", "1", "--key", "k")["version"] == 3
    assert answered(library, "memory", "restore", "Shipping", "1", "--key", "k")["replayed"]
    assert octavo(library, "memory", "diff", "Shipping", "--old", "1", "--new", "3").exit_code == 1
    assert [memory["version"] for memory in answered(library, "recall")["memories"]] == [3]
    assert octavo(library, "forget", "Shipping").exit_code == 0
    nothing = octavo(library, "recall", "shipping")
    assert (nothing.exit_code, nothing.stdout) == (1, "Nothing is remembered about that.\n")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["remember", "The password: 'dX7-quarry-Lantern'"], 2),
        (["remember", " "], 2),
        (["forget", "mem_nowhere"], 1),
        (["history", "mem_nowhere"], 1),
    ],
)
def test_what_goes_wrong_has_its_exit_code(tmp_path: Path, arguments: list[str], code: int) -> None:
    library = tmp_path / "library.db"
    assert octavo(library, "remember", "Something.").exit_code == 0
    done = octavo(library, *arguments)
    assert (done.exit_code, done.stdout) == (code, "")
    assert done.stderr.startswith("error: ")
    assert "quarry" not in done.stderr


def test_the_memories_are_no_folder_to_index_remove_or_replace(tmp_path: Path) -> None:
    library, folder = tmp_path / "library.db", tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A note\n\nAbout the boiler.\n", "utf-8")
    assert octavo(library, "remember", "The boiler is old.").exit_code == 0
    assert octavo(library, "add", str(folder), "--name", "memories").exit_code == 2
    assert octavo(library, "remove", "memories").exit_code == 2
    assert octavo(library, "add", str(folder), "--name", "notes").exit_code == 0
    report = answered(library, "index")
    assert [collection["name"] for collection in report["collections"]] == ["notes"]
    hits = answered(library, "search", "boiler")["hits"]
    assert {hit["collection"] for hit in hits} == {"notes", "memories"}
    assert answered(library, "doctor")["ok"]
    assert "in no folder" in octavo(library, "list").stdout
