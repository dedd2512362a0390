"""The app as a person sees it: in tmux, where that is installed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_calls import Vault
from tmux_terminal import Terminal

pytest.importorskip("textual", reason="textual is not installed")
pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

TUI = [sys.executable, "-m", "octavo", "tui"]


@pytest.fixture
def terminal(vault: Vault, tmp_path: Path) -> Iterator[Terminal]:
    started = Terminal(tmp_path / "tmux")
    yield started
    started.close()


def search(terminal: Terminal) -> str:
    terminal.until(lambda screen: "Search" in screen)
    terminal.type("prune winter")
    return terminal.until(lambda screen: "apples.md" in screen and "Prune in late winter" in screen)


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_search_fills_the_terminal_and_no_more(terminal: Terminal, size: tuple[int, int]) -> None:
    terminal.start(TUI, size)
    lines = search(terminal).rstrip("\n").split("\n")
    assert len(lines) <= size[1]
    assert max(map(len, lines)) <= size[0]


def test_a_window_that_shrinks_keeps_what_was_typed(terminal: Terminal) -> None:
    terminal.start(TUI, (200, 50))
    search(terminal)
    terminal("resize-window", "-t", "app", "-x", "80", "-y", "24")
    shrunk = terminal.until(lambda screen: len(screen.rstrip("\n").split("\n")) <= 24 and "prune winter" in screen)
    assert max(map(len, shrunk.split("\n"))) <= 80


def test_without_colours_none_is_sent(terminal: Terminal) -> None:
    terminal.start(TUI, (80, 24), NO_COLOR="1")
    search(terminal)
    sent = terminal.seen(colours=True)
    # Grey levels may be sent for emphasis; a hue has channels that differ.
    hues = [code.split("m")[0].split(";") for code in sent.split("\x1b[")[1:]]
    coloured = [code for code in hues if code[:2] in (["38", "2"], ["48", "2"]) and len(set(code[2:5])) > 1]
    assert coloured == []
