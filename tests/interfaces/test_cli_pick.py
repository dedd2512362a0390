"""`octavo pick`: rows without a terminal, keys with one, and the editor it opens."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_calls import Octavo, Vault

from octavo.errors import NotFound
from octavo.interfaces.cli.terminal_list_picker import Choice, Picking, keys_in, pick, screen
from octavo.interfaces.presenting.editor_command import editor_command

ON_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "octavo", "pick", "sourdough"])
"""
"""Makes its stdin the controlling terminal, as a shell would have."""


@pytest.fixture(autouse=True)
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is picked is picked by its words."""
    monkeypatch.setenv("OCTAVO_RETRIEVAL_PROFILE", "lexical_only")


def test_without_a_terminal_every_row_is_printed_as_path_and_line(octavo: Octavo, vault: Vault) -> None:
    result = octavo("pick", "--list", "prune", "in", "winter")
    assert result.exit_code == 0
    path, _, line = result.stdout.splitlines()[0].rpartition(":")
    assert Path(path) == vault.folder / "garden" / "apples.md"
    assert "Prune" in "\n".join(Path(path).read_text("utf-8").splitlines()[int(line) - 1 :][:3])


def test_a_conversation_of_an_export_is_opened_as_the_file_that_holds_it(octavo: Octavo, tmp_path: Path) -> None:
    def talk(words: str) -> dict[str, object]:
        said = {"sender": "human", "text": f"{words} of the dirigible", "created_at": "2026-03-02T10:12:00Z"}
        return {"uuid": words, "name": words, "chat_messages": [said, said | {"text": "Aye."}]}

    folder = tmp_path / "talks"
    folder.mkdir()
    export = folder / "conversations.json"
    export.write_text(json.dumps([talk("Anchor"), talk("Ballast")]), "utf-8")
    (folder / "one.json").write_text(json.dumps([talk("Cable")]), "utf-8")
    for arguments in (["init"], ["add", folder], ["index"]):
        octavo(*arguments)
    for words, file in (("ballast of the dirigible", export), ("cable of the dirigible", folder / "one.json")):
        assert octavo("pick", "--first", words).stdout == f"{file}:1\n"
        assert octavo("search", "-n", "1", "--format", "files", words).stdout == f"{file}:1\n"


def test_letters_in_order_find_a_file_by_its_name(octavo: Octavo, vault: Vault) -> None:
    rows = json.loads(octavo("pick", "gdnapls", "--json").stdout)["rows"]
    assert [(row["place"], row["line"]) for row in rows] == [("notes/garden/apples.md", 1)]


def test_what_nothing_matches_is_no_match(octavo: Octavo, vault: Vault) -> None:
    result = octavo("pick", "--first", "qqqqzzzz")
    assert (result.exit_code, result.stdout) == (1, "")


def test_keys_come_by_name_and_unknown_sequences_are_left_out() -> None:
    assert list(keys_in("a\x1b[A\x1b[B\x1b[1;5C\x7f\r")) == ["a", "up", "down", "backspace", "enter"]


def test_keys_change_the_query_and_the_chosen_row() -> None:
    rows = tuple(Choice(f"/n/{name}", 1, name) for name in "abc")
    picking = Picking("one two", rows, asked="one two")
    assert picking.press("down").press("down").press("down").chosen == rows[2]
    assert picking.press("up").chosen == rows[0]
    assert picking.press("word").query == "one"
    assert picking.press("backspace").press("!").query == "one tw!"
    assert picking.press("clear").query == ""


def test_no_line_is_wider_than_the_terminal() -> None:
    rows = tuple(Choice(f"/n/{number}", 7, "東京/" * 30, "a heading " * 20) for number in range(40))
    for width in (20, 40, 80):
        lines = screen(Picking("w" * 200, rows, 25, "w"), width, 10)
        assert len(lines) == 10
        assert all(sum(len(part.text) for part in line) < width for line in lines)


def test_a_line_that_has_no_room_is_cut_to_nothing() -> None:
    assert all(not part.text for line in screen(Picking("w"), 0, 3) for part in line[:2])


@pytest.mark.parametrize(
    ("editor", "arguments"),
    [
        ("vim", ["vim", "+7", "/n/a.md"]),
        ("code --wait", ["code", "--wait", "--goto", "/n/a.md:7"]),
        ("/usr/bin/hx", ["/usr/bin/hx", "/n/a.md:7"]),
        ("unheard-of -x", ["unheard-of", "-x", "/n/a.md"]),
    ],
)
def test_an_editor_is_told_the_line_in_its_own_words(editor: str, arguments: list[str]) -> None:
    assert editor_command(Path("/n/a.md"), 7, {"EDITOR": editor}) == arguments


def test_without_an_editor_the_hint_says_how_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NotFound, match="editor"):
        editor_command(Path("/n/a.md"), 1, {})


class Shrinking:
    """A keyboard on a window that shrinks while nobody types; then somebody picks."""

    def __init__(self) -> None:
        self.drawn: list[str] = []
        self._columns = 80

    def pressed(self, seconds: float | None) -> list[str]:
        if self._columns == 30:
            return ["enter"] if len(self.drawn) == 2 else []
        self._columns = 30
        return []

    def draw(self, text: str) -> None:
        self.drawn.append(text)

    def size(self) -> os.terminal_size:
        return os.terminal_size((self._columns, 24))


def test_a_window_of_another_size_is_drawn_anew_without_a_key() -> None:
    keyboard, choice = Shrinking(), Choice("/n/a.md", 1, "n/" + "a" * 60)
    assert pick(keyboard, "a", lambda query: [choice], colours=False) is choice
    wide, narrow, _ = keyboard.drawn
    assert "a" * 60 in wide
    assert "a" * 60 not in narrow


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.one_engine
def test_the_list_is_drawn_on_the_terminal_and_the_choice_goes_to_stdout(vault: Vault, tmp_path: Path) -> None:
    chosen = tmp_path / "chosen"
    terminal, inside = pty.openpty()
    with chosen.open("wb") as out:
        process = subprocess.Popen([sys.executable, "-c", ON_TERMINAL], stdin=inside, stdout=out, stderr=inside)
    os.close(inside)
    drawn = _read_until(terminal, b"notes/bread.md:1")
    os.write(terminal, b"\r")
    assert process.wait(120) == 0
    assert chosen.read_text("utf-8") == f"{vault.folder / 'bread.md'}:1\n"
    assert b"Esc leaves" in drawn + _rest(terminal)
    os.close(terminal)


def _read_until(terminal: int, wanted: bytes) -> bytes:
    read, deadline = b"", time.monotonic() + 120
    while wanted not in read:
        assert time.monotonic() < deadline, read
        if select.select([terminal], [], [], 1.0)[0]:
            read += os.read(terminal, 4096)
    return read


def _rest(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side has gone
        return b""
