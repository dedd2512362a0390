"""A small round of `benchmarks/interleavings.py`: real processes, some of them killed, against a model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from postgres_server import Server

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "interleavings.py"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")


def campaign(folder: Path, *arguments: str) -> dict[str, object]:
    command = [sys.executable, str(PROGRAM), "--folder", str(folder), "--burst", "12", "--kills", "1", *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, object] = json.loads(done.stdout)
    return told


def test_a_round_of_processes_on_a_file_keeps_what_it_promised(tmp_path: Path) -> None:
    told = campaign(tmp_path, "--processes", "3", "--steps", "24")
    assert (told["steps"], told["problems"]) == (24, [])


def test_a_round_of_processes_on_a_server_keeps_what_it_promised(tmp_path: Path, postgres: Server) -> None:
    url = postgres.database()
    told = campaign(tmp_path, "--processes", "2", "--steps", "12", "--engine", "postgres", "--library", url.secret)
    assert (told["steps"], told["problems"]) == (12, [])
    postgres.drop(url)
