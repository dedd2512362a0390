"""A small round of `benchmarks/tree_histories.py`: four libraries of one folder say the same, digit by digit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

CAMPAIGN = Path(__file__).parents[2] / "benchmarks" / "tree_histories.py"


@pytest.mark.parametrize(("embedding", "first", "trees"), [("hashing", 3, 2), ("hashing", 8, 1), ("bundled", 3, 1)])
def test_a_library_that_followed_a_history_answers_as_one_made_anew_with_and_without_a_snapshot(
    embedding: str, first: int, trees: int
) -> None:
    command = [sys.executable, str(CAMPAIGN), f"--first={first}", f"--trees={trees}", f"--embedding={embedding}"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    answers = json.loads(done.stdout)
    assert (answers["trees"], answers["different"]) == (trees, {}) and answers["answers"] > 100 * trees
