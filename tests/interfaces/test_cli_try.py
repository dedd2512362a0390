"""`octavo try`: a question to a folder, nothing left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from cli_calls import Octavo, write_vault


def test_a_folder_answers_and_nothing_stays(octavo: Octavo, tmp_path: Path, monkeypatch: object) -> None:
    folder = write_vault(tmp_path / "notes")
    aside = tmp_path / "aside"
    aside.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(aside))  # type: ignore[attr-defined]
    result = octavo("try", folder, "when to prune")
    assert result.exit_code == 0
    assert "notes/garden/apples.md:" in result.stdout
    assert list(aside.iterdir()) == []
    assert not (tmp_path / "home" / "data").exists()


def test_try_answers_as_search_does(octavo: Octavo, tmp_path: Path) -> None:
    folder = write_vault(tmp_path / "notes")
    answer = json.loads(octavo("try", folder, "--json", "-n", "2", "when", "to", "prune").stdout)
    assert (answer["query"], len(answer["hits"])) == ("when to prune", 2)
    assert answer["freshness"]["full_vectors"] == 1.0


def test_an_empty_folder_has_nothing_to_answer_from(octavo: Octavo, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    result = octavo("try", folder, "anything")
    assert (result.exit_code, result.stdout) == (4, "")
    assert "nothing in" in result.stderr


def test_try_needs_a_folder_and_a_question(octavo: Octavo, tmp_path: Path) -> None:
    assert octavo("try", tmp_path / "nowhere", "x").exit_code == 2
    assert octavo("try", tmp_path).exit_code == 2


def test_a_folder_is_shown_in_the_browser_until_it_is_stopped(tmp_path: Path) -> None:
    folder = write_vault(tmp_path / "notes")
    told = tmp_path / "told"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {told}.part && mv {told}.part {told}\n', "utf-8")
    browser.chmod(0o755)
    command = [sys.executable, "-m", "octavo", "try", str(folder), "--open", "sourdough"]
    environ = {**os.environ, "BROWSER": str(browser), "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, encoding="utf-8")
    assert process.stderr is not None
    said = re.match(r"Look at (http://\S+) ", process.stderr.readline())
    assert said is not None
    browser_session = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser_session.open(said[1], timeout=120) as page:
        assert "notes/bread.md" in page.read().decode()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=240)
    assert process.returncode == 0
    # Every account sees the arguments of a program: the browser is given a code that lets in once.
    shown = told.read_text("utf-8").strip()
    assert shown.partition("?")[0] == said[1].partition("?")[0] and "code=" in shown and "token=" not in shown
    assert not list(tmp_path.glob("octavo-*"))
