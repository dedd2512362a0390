"""`octavo ask --continue` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_calls import Octavo

from octavo.interfaces.cli.error_exit_codes import Exit


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


def test_a_question_that_passages_are_near_but_do_not_answer_ends_like_one_without_passages(
    octavo: Octavo, environment: Path
) -> None:
    notes = environment / "notes"
    notes.mkdir()
    (notes / "router.md").write_text("# Router\n\nThe wifi name is Papaya.\n", "utf-8")
    for arguments in (["init"], ["add", "notes"], ["index"]):
        assert octavo(*arguments).exit_code == 0

    near = octavo("ask", "what is the wifi password?", "--json")
    assert (json.loads(near.stdout)["answered"], bool(json.loads(near.stdout)["passages"])) == (False, True)
    far = octavo("ask", "who is the captain of the ship?", "--json")
    assert (near.exit_code, far.exit_code) == (Exit.NO_MATCH, Exit.NO_MATCH)
    assert octavo("ask", "what is the name of the wifi?").exit_code == Exit.OK
    assert octavo("ask", "what is the wifi password?", "--show-context").exit_code == Exit.OK
