"""A small round of every campaign of `benchmarks/faults.py`: nothing lost, nothing crashed, no lie."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FAULTS = Path(__file__).parents[2] / "benchmarks" / "faults.py"
PARTS = {
    "kills",
    "fuzz",
    "snapshots",
    "tables",
    "file",
    "slack",
    "flips",
    "processes",
    "unmounts",
    "requests",
    "questions",
    "strangers",
}
BAD = (
    "lost",
    "damaged",
    "crashed",
    "too ",
    "wrong: ",
    "wrong answers",
    "in silence",
    "not noticed",
    "not mended",
    "status 5",
)


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed")
def test_a_small_round_of_every_campaign_ends_well_and_is_not_done_again(tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    command = [sys.executable, str(FAULTS), "--rounds", "2", "--seconds", "1", "--state", str(state)]
    environ = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environ, timeout=900)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]
    assert {part for part, _, _ in rows} == PARTS
    outcomes = [f"{part}: {outcome}" for part, outcome, _ in rows]
    assert [outcome for outcome in outcomes if any(word in outcome for word in BAD)] == []
    assert all(": 0 removed" in outcome for outcome in outcomes if outcome.startswith("unmounts"))
    sound = "0 lock errors, 0 wrong excerpts, 0 damages"
    assert all(sound in outcome for outcome in outcomes if outcome.startswith("processes"))
    held = state.read_text("utf-8")
    again = subprocess.run(command, capture_output=True, encoding="utf-8", env=environ, timeout=900)
    assert (again.stdout, state.read_text("utf-8")) == (done.stdout, held)
