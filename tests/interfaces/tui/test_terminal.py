"""The app as a person sees it: in tmux, where that is installed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli_calls import Vault

pytest.importorskip("textual", reason="textual is not installed")
pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

PATIENCE = 120.0  # seconds; a busy machine is slow, and nothing here is a measurement


class Terminal:
    """A terminal of its own server: nobody else's tmux is touched."""

    def __init__(self, socket: Path) -> None:
        self._tmux = ["tmux", "-S", str(socket), "-f", os.devnull]

    def __call__(self, *arguments: str) -> str:
        return subprocess.run([*self._tmux, *arguments], check=True, capture_output=True, encoding="utf-8").stdout

    def start(self, size: tuple[int, int], **environ: str) -> None:
        setting = [f"{name}={value}" for name, value in {**os.environ, **environ}.items()]
        command = shlex.join(["env", "-i", *setting, "TERM=tmux-256color", sys.executable, "-m", "octavo", "tui"])
        self("new-session", "-d", "-s", "app", "-x", str(size[0]), "-y", str(size[1]), command)
        self("set-option", "-g", "window-size", "manual")

    def seen(self, *, colours: bool = False) -> str:
        return self("capture-pane", "-p", "-t", "app", *(["-e"] if colours else []))

    def until(self, true: Callable[[str], bool]) -> str:
        ends = time.monotonic() + PATIENCE
        while not true(screen := self.seen()):
            assert time.monotonic() < ends, screen
        return screen


@pytest.fixture
def terminal(vault: Vault, tmp_path: Path) -> Iterator[Terminal]:
    started = Terminal(tmp_path / "tmux")
    yield started
    subprocess.run(["tmux", "-S", str(tmp_path / "tmux"), "kill-server"], capture_output=True)


def search(terminal: Terminal) -> str:
    terminal.until(lambda screen: "Search" in screen)
    terminal("send-keys", "-t", "app", "-l", "prune winter")
    return terminal.until(lambda screen: "apples.md" in screen and "Prune in late winter" in screen)


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_search_fills_the_terminal_and_no_more(terminal: Terminal, size: tuple[int, int]) -> None:
    terminal.start(size)
    lines = search(terminal).rstrip("\n").split("\n")
    assert len(lines) <= size[1]
    assert max(map(len, lines)) <= size[0]


def test_a_window_that_shrinks_keeps_what_was_typed(terminal: Terminal) -> None:
    terminal.start((200, 50))
    search(terminal)
    terminal("resize-window", "-t", "app", "-x", "80", "-y", "24")
    shrunk = terminal.until(lambda screen: len(screen.rstrip("\n").split("\n")) <= 24 and "prune winter" in screen)
    assert max(map(len, shrunk.split("\n"))) <= 80


def test_without_colours_none_is_sent(terminal: Terminal) -> None:
    terminal.start((80, 24), NO_COLOR="1")
    search(terminal)
    sent = terminal.seen(colours=True)
    # Grey levels may be sent for emphasis; a hue has channels that differ.
    hues = [code.split("m")[0].split(";") for code in sent.split("\x1b[")[1:]]
    coloured = [code for code in hues if code[:2] in (["38", "2"], ["48", "2"]) and len(set(code[2:5])) > 1]
    assert coloured == []
