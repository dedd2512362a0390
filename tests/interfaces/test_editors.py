"""The Telescope picker and octavo.el in the real editors, with the command that ships."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_calls import Octavo, Vault

PLUGINS = Path(__file__).parents[2] / "plugins"
TELESCOPE = Path(os.environ.get("OCTAVO_TELESCOPE", ""))
"""A folder with telescope.nvim and plenary.nvim in it."""
PICKER = Path(__file__).with_name("telescope_picker.lua")

emacs = pytest.mark.skipif(shutil.which("emacs") is None, reason="no Emacs on this machine")
neovim = pytest.mark.skipif(
    shutil.which("nvim") is None or not (TELESCOPE / "telescope.nvim").is_dir(),
    reason="needs Neovim, and OCTAVO_TELESCOPE naming a folder with telescope.nvim and plenary.nvim",
)


@pytest.fixture(autouse=True)
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in for a model finds anything for everything."""
    monkeypatch.setenv("OCTAVO_RETRIEVAL_PROFILE", "lexical_only")


def octavo_program() -> str:
    return str(Path(sys.executable).with_name("octavo"))


def in_emacs(*forms: str) -> str:
    setting = f'(setq octavo-program "{octavo_program()}")'
    program = ["emacs", "--batch", "-Q", "-L", str(PLUGINS / "emacs"), "-l", "octavo"]
    for form in (setting, *forms):
        program += ["--eval", form]
    return subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True).stdout


@emacs
def test_emacs_lists_hits_as_grep_does_and_goes_to_the_first(vault: Vault) -> None:
    shown = in_emacs(
        '(octavo-search "prune in winter")',
        '(with-current-buffer "*octavo*" (goto-char (point-min)) (next-error 1))',
        '(with-current-buffer (window-buffer) (princ (format "%s:%d" (buffer-file-name) (line-number-at-pos))))',
    )
    path, _, line = shown.rpartition(":")
    assert Path(path) == vault.folder / "garden/apples.md"
    assert "prune" in "\n".join(Path(path).read_text("utf-8").splitlines()[int(line) - 1 :][:5]).lower()


@emacs
def test_emacs_answers_with_places_and_says_where_there_is_nothing(vault: Vault) -> None:
    content = '(with-current-buffer "*octavo*" (princ (buffer-string)))'
    assert "apples.md:" in in_emacs('(octavo-ask "When do apple trees need pruning?")', content)
    assert "Nothing found." in in_emacs('(octavo-search "xyzzyqwert")', content)


@emacs
def test_emacs_goes_to_the_export_that_holds_a_conversation(octavo: Octavo, tmp_path: Path) -> None:
    said = [
        {"sender": "human", "text": text, "created_at": "2026-03-02T10:12:00Z"} for text in ("The dirigible.", "Aye.")
    ]
    folder = tmp_path / "talks"
    folder.mkdir()
    export = folder / "conversations.json"
    export.write_text(json.dumps([{"uuid": name, "name": name, "chat_messages": said} for name in "ab"]), "utf-8")
    for arguments in (["init"], ["add", folder], ["index"]):
        octavo(*arguments)
    assert f"{export}:1:" in in_emacs(
        '(octavo-search "dirigible")', '(with-current-buffer "*octavo*" (princ (buffer-string)))'
    )


@emacs
def test_emacs_compiles_it_without_a_warning(tmp_path: Path) -> None:
    source = shutil.copy(PLUGINS / "emacs" / "octavo.el", tmp_path)
    program = [
        "emacs",
        "--batch",
        "-Q",
        "--eval",
        "(setq byte-compile-error-on-warn t)",
        "-f",
        "batch-byte-compile",
        source,
    ]
    subprocess.run(program, check=True, capture_output=True)


@neovim
def test_telescope_finds_as_one_types_and_opens_the_file_at_the_line(vault: Vault) -> None:
    program = ["nvim", "--headless", "-u", "NONE", "-i", "NONE"]
    for folder in (TELESCOPE / "plenary.nvim", TELESCOPE / "telescope.nvim", PLUGINS / "nvim"):
        program += ["--cmd", f"set rtp^={folder}"]
    run = subprocess.run(
        [*program, "-c", "runtime! plugin/*.vim plugin/*.lua", "-c", f"luafile {PICKER}", "-c", "qall!"],
        env={**os.environ, "OCTAVO": octavo_program()},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    row, place = run.stdout.splitlines()
    assert row.startswith("garden/apples.md:") and place.startswith(str(vault.folder / "garden/apples.md") + ":"), (
        run.stderr
    )
