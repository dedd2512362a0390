"""Ctrl-G in bash, zsh and fish: the lines of the guide, in a real shell in tmux."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli_calls import Vault
from tmux_terminal import Terminal

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

GUIDE = Path(__file__).parents[2] / "docs/guides/terminal.md"
SHELLS = {
    "bash": ("--noprofile", "--norc", "-i"),
    "zsh": ("-f", "-i"),
    "fish": ("--no-config", "-i"),
}


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(tmp_path / "tmux")
    yield made
    made.close()


def shows(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern, re.MULTILINE).search


@pytest.mark.parametrize("shell", SHELLS)
def test_ctrl_g_puts_the_chosen_file_at_the_cursor(
    vault: Vault, terminal: Terminal, tmp_path: Path, shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} on this machine")
    widget = re.search(rf"```{shell}\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert widget is not None
    (tmp_path / "widget").write_text(widget[1], "utf-8")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("OCTAVO_RETRIEVAL_PROFILE", "lexical_only")
    terminal.start([program, *SHELLS[shell]], (150, 40))
    # What the shell prints, and not what is typed, has the two words beside each other.
    terminal.type(f"source {tmp_path / 'widget'} && echo loaded ''now")
    terminal.press("Enter")
    terminal.until(shows(r"^loaded now"))
    terminal.type("wc -l  # counted")
    terminal.press(*["Left"] * len(" # counted"), "C-g")
    terminal.until(shows("Esc leaves"))
    terminal.type("prune winter")
    terminal.until(shows(r"prune winter[\s\S]*apples"))
    terminal.press("Enter")
    expected = re.escape(str(vault.folder / "garden/apples.md"))
    terminal.until(shows(rf"wc -l '?{expected}'? # counted"))
    terminal.press("Enter")
    terminal.until(shows(rf"^\s*\d+ {expected}"))
    terminal.type("echo kept ")
    terminal.press("C-l", "C-g")
    terminal.until(shows("Esc leaves"))
    terminal.press("Escape")
    terminal.until(shows(r"echo kept(?![\s\S]*Esc leaves)"))
    terminal.type("as it was")
    terminal.press("Enter")
    terminal.until(shows(r"^kept as it was"))
