"""`octavo watch` as a person starts it, and the operation that turns watching on and off."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_calls import Location, Octavo, write_vault

from octavo.engine.wiring import open_library
from octavo.operations.library.requests import StatusRequest, WatchRequest
from octavo.operations.library.status import status, watch
from octavo.operations.operation_lookup import OPERATIONS


def put(path: Path, text: str) -> None:
    """Whole at once: nobody sees it empty."""
    aside = path.parent.with_suffix(".aside")
    aside.write_text(text, "utf-8")
    aside.replace(path)


def test_watch_takes_in_what_changes_until_it_is_asked_to_stop(environment: Path, octavo: Octavo) -> None:
    folder = write_vault(environment / "notes")
    for arguments in (["init"], ["add", folder, "--name", "notes"]):
        assert octavo(*arguments).exit_code == 0
    watching = subprocess.Popen(
        [sys.executable, "-m", "octavo", "watch", "--debounce", "250", "--jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert watching.stdout is not None
    first = json.loads(watching.stdout.readline())
    assert (first["name"], first["added"]) == ("notes", 3)
    put(folder / "new.md", "# New\n\nzebrafish\n")
    second = json.loads(watching.stdout.readline())
    assert (second["added"], second["unchanged"], second["failed"]) == (1, 0, [])
    assert json.loads(octavo("search", "--json", "zebrafish").stdout)["hits"][0]["uri"] == "new.md"
    watching.send_signal(signal.SIGINT)
    out, told = watching.communicate(timeout=60)
    assert (watching.returncode, out, told) == (0, "", "Watching 1 folder; Ctrl-C ends it.\n")


@pytest.mark.one_engine
def test_a_log_of_watching_has_a_line_with_its_time_for_each_change(environment: Path, octavo: Octavo) -> None:
    folder = write_vault(environment / "notes")
    for arguments in (["init"], ["add", folder, "--name", "notes"]):
        assert octavo(*arguments).exit_code == 0
    command = [sys.executable, "-m", "octavo", "watch", "--debounce", "250"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as watching:
        assert watching.stdout is not None
        line = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d notes: (\d) added; .* written.* in .*\n")
        first = line.fullmatch(watching.stdout.readline())
        put(folder / "new.md", "# New\n\nzebrafish\n")
        second = line.fullmatch(watching.stdout.readline())
        watching.send_signal(signal.SIGINT)
        assert watching.stdout.read() == ""
    assert first and second
    assert (first[1], second[1]) == ("3", "1")


@pytest.mark.usefixtures("environment")
def test_watch_without_a_folder_says_what_to_do(octavo: Octavo) -> None:
    assert octavo("init").exit_code == 0
    result = octavo("watch")
    assert result.exit_code == 4
    assert "octavo add FOLDER" in result.stderr


def test_the_operation_turns_watching_on_and_off_and_status_tells(location: Location, environment: Path) -> None:
    folder = write_vault(environment / "notes")
    with open_library(location, create=True) as engine:
        engine.add_collection("notes", folder)
        assert not watch(engine, WatchRequest()).watching
        answer = watch(engine, WatchRequest(enabled=True, debounce_ms=250))
        assert (answer.watching, answer.debounce_ms) == (True, 250)
        told = status(engine, StatusRequest())
        assert told.watch is not None and told.watch.watching
        assert "watched" in OPERATIONS["status"].written(told)
        assert not watch(engine, WatchRequest(enabled=False)).watching
        assert "Folders are not watched." in OPERATIONS["status"].written(status(engine, StatusRequest()))
