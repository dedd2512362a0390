"""`octavo ask --continue` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_calls import Octavo


def test_a_question_goes_on_with_the_conversation_only_where_asked(
    octavo: Octavo, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = environment / "notes"
    notes.mkdir()
    (notes / "dome.md").write_text("# Dome\n\nThe night assistant opens the dome. It closes at dawn.\n", "utf-8")
    for arguments in (["init"], ["add", "notes"], ["index"]):
        assert octavo(*arguments).exit_code == 0

    def asked(*arguments: str) -> object:
        return json.loads(octavo("ask", *arguments, "--json").stdout).get("standalone")

    assert asked("what closes at dawn?") is None
    assert json.loads(octavo("sessions", "list", "--json").stdout)["sessions"] == []
    assert asked("--continue", "who opens the dome?") is None
    assert asked("--continue", "and when does it close?") == "who opens the dome? and when does it close?"
