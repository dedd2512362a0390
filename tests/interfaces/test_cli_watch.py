"""`recto watch` as a person starts it, and the operation that turns watching on and off."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_calls import Recto, write_vault

import recto as library_api
from recto.operations.status import StatusRequest, status, status_text
from recto.operations.watch import WatchRequest, watch


def test_watch_takes_in_what_changes_until_it_is_asked_to_stop(environment: Path, recto: Recto) -> None:
    folder = write_vault(environment / "notes")
    for arguments in (["init"], ["add", folder, "--name", "notes"]):
        assert recto(*arguments).exit_code == 0
    watching = subprocess.Popen(
        [sys.executable, "-m", "recto", "watch", "--debounce", "250", "--jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert watching.stdout is not None
    first = json.loads(watching.stdout.readline())
    assert (first["name"], first["added"]) == ("notes", 3)
    (folder / "new.md").write_text("# New\n\nzebrafish\n", "utf-8")
    second = json.loads(watching.stdout.readline())
    assert (second["added"], second["unchanged"], second["failed"]) == (1, 0, [])
    assert json.loads(recto("search", "--json", "zebrafish").stdout)["hits"][0]["uri"] == "new.md"
    watching.send_signal(signal.SIGINT)
    out, told = watching.communicate(timeout=60)
    assert (watching.returncode, out, told) == (0, "", "Watching 1 folder; Ctrl-C ends it.\n")


@pytest.mark.usefixtures("environment")
def test_watch_without_a_folder_says_what_to_do(recto: Recto) -> None:
    assert recto("init").exit_code == 0
    result = recto("watch")
    assert result.exit_code == 4
    assert "recto add FOLDER" in result.stderr


def test_the_operation_turns_watching_on_and_off_and_status_tells(environment: Path) -> None:
    folder = write_vault(environment / "notes")
    settings = {"embedding.provider": "hashing"}
    with library_api.open_library(environment / "library.db", create=True, settings=settings) as engine:
        engine.add_collection("notes", folder)
        assert not watch(engine, WatchRequest()).watching
        answer = watch(engine, WatchRequest(enabled=True, debounce_ms=250))
        assert (answer.watching, answer.debounce_ms) == (True, 250)
        told = status(engine, StatusRequest())
        assert told.watch is not None and told.watch.watching
        assert "Watching" in status_text(told)
        assert not watch(engine, WatchRequest(enabled=False)).watching
        assert "Folders are not watched." in status_text(status(engine, StatusRequest()))
