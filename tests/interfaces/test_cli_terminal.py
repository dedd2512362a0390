"""What reaches a terminal: colours, links and progress where they belong, and nothing that a file's name put there."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from cli_calls import Octavo, Shell, Vault

from octavo.interfaces.cli.progress import pace
from octavo.observability.progress import Rate

HOSTILE = "\x1b]0;owned\x07\x1b[2J new\nline\r\u202e\u009b2J 😀.md"


def on_a_terminal(*arguments: str | Path, stream: str, environ: Mapping[str, str] = {}) -> tuple[str, str]:
    """Runs octavo with `stream` (stdout or stderr) a terminal: what it showed there, and what went into the pipe."""
    ours, theirs = pty.openpty()
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: theirs}
    command = [sys.executable, "-m", "octavo", *map(str, arguments)]
    whole = os.environ | {"TERM": "xterm-256color"} | environ
    with subprocess.Popen(command, env=whole, **streams) as process:  # type: ignore[call-overload]
        os.close(theirs)
        seen = bytearray()
        while True:
            try:
                read = os.read(ours, 65536)
            except OSError:
                break
            if not read:
                break
            seen += read
        piped = (process.stderr if stream == "stdout" else process.stdout).read()
    os.close(ours)
    return seen.decode(), piped.decode()


@pytest.mark.usefixtures("vault")
@pytest.mark.one_engine
def test_a_terminal_gets_marks_and_links_and_a_pipe_does_not(shell: Shell, vault: Vault) -> None:
    shown, errors = on_a_terminal("search", "prune", stream="stdout")
    assert "\x1b[1;33mPrune\x1b[0m" in shown
    assert "\x1b]8;id=" in shown and f";{(vault.folder / 'garden' / 'apples.md').as_uri()}\x1b\\" in shown
    assert errors == ""
    assert "\x1b" not in shell("search", "prune").stdout


@pytest.mark.usefixtures("vault")
@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
@pytest.mark.one_engine
def test_no_color_and_dumb_terminals_get_plain_text(setting: dict[str, str]) -> None:
    shown, _ = on_a_terminal("search", "prune", stream="stdout", environ=setting)
    assert "Prune in late winter" in shown
    assert "\x1b" not in shown


@pytest.mark.usefixtures("vault")
@pytest.mark.one_engine
def test_progress_is_on_stderr_and_only_on_a_terminal(tmp_path: Path, shell: Shell) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(50):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nSome words about {number}.\n")
    library = tmp_path / "many.db"
    shell("init", "--library", library)
    shell("add", folder, "--library", library)
    progress, answer = on_a_terminal("index", "--library", library, "--json", stream="stderr")
    assert "many" in progress and "/s" in progress
    assert json.loads(answer)["collections"][0]["added"] == 50
    (folder / "more.md").write_text("more\n")
    assert shell("index", "--library", library).stderr == ""
    quiet, _ = on_a_terminal("index", "--library", library, "--quiet", stream="stderr")
    assert quiet == ""


@pytest.mark.one_engine
def test_a_name_cannot_steer_the_terminal(octavo: Octavo, shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "hostile"
    folder.mkdir()
    (folder / HOSTILE).write_text("# Title \x1b[31m\n\nSome \x1b[2J words \u202e here.\n", "utf-8")
    octavo("init")
    octavo("add", folder)
    assert octavo("index").exit_code == 0
    escaped = "\\x1b]0;owned\\x07\\x1b[2J new\\nline\\r\\u202e\\x9b2J 😀.md"
    for command in (["search", "words"], ["list", "--documents"], ["status", "--problems"], ["get", HOSTILE]):
        for form in ("text", "md", "csv", "files"):
            if command[0] == "get" and form in ("text",):
                continue  # into a pipe goes the exact text, which is what get is for
            shown = octavo(*command, "--format", form).stdout
            assert not set(shown) & set("\x1b\x07\r\u202e\u009b")
    assert escaped in octavo("search", "words").stdout
    assert octavo("list", "--documents", "--format", "files").stdout == f"{folder}/{escaped}\n"
    for form in ("json", "jsonl"):
        raw = octavo("search", "words", "--format", form).stdout
        assert not set(raw) & set("\x1b\x07\r\u202e\u009b")
    assert json.loads(octavo("search", "--json", "words").stdout)["hits"][0]["uri"] == HOSTILE
    shown, _ = on_a_terminal("get", HOSTILE, stream="stdout")
    assert "\x1b[2J" not in shown and "\x1b]0;" not in shown
    missing = octavo("get", f"another {HOSTILE}")
    assert missing.exit_code == 1 and "\x1b" not in missing.stderr


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system takes only Unicode names")
def test_a_name_that_is_not_unicode_is_shown(octavo: Octavo, tmp_path: Path) -> None:
    folder = tmp_path / "bytes"
    folder.mkdir()
    (Path(os.fsdecode(bytes(folder) + b"/caf\xe9.md"))).write_text("# Coffee\n\nblack\n")
    octavo("init")
    octavo("add", folder)
    index = octavo("index", "--json")
    assert index.exit_code in (0, 6)
    for form in ("text", "md", "csv", "files", "json", "jsonl"):
        assert octavo("list", "--documents", "--format", form).exit_code == 0
        assert octavo("status", "--problems", "--format", form).exit_code == 0


def test_names_with_spaces_and_emoji_are_found_and_linked(octavo: Octavo, tmp_path: Path) -> None:
    folder = tmp_path / "my notes 📚"
    (folder / "sub folder").mkdir(parents=True)
    (folder / "sub folder" / "a note 🌱.md").write_text("# Seeds\n\nSow in spring.\n", "utf-8")
    octavo("init")
    octavo("add", folder, "--name", "my notes")
    octavo("index")
    result = octavo("search", "--format", "files", "seeds")
    assert result.stdout == f"{folder}/sub folder/a note 🌱.md:1\n"
    assert octavo("get", "my notes/sub folder/a note 🌱.md:3").stdout == "Sow in spring.\n"


def test_progress_says_how_much_how_fast_and_how_long() -> None:
    bytes_read = Rate.begin(now=0.0).advance(2_000_000, now=1.0)
    assert pace(bytes_read, 59_000_000, "B") == "2.0 MB of 59.0 MB, 2.0 MB/s, 29 s left"
    embedded = Rate.begin(now=0.0).advance(64, now=2.0)
    assert pace(embedded, 93, "chunks") == "64 of 93 chunks, 32 chunks/s, 1 s left"
    assert pace(embedded, None, "chunks") == "64 chunks, 32 chunks/s"
    assert pace(Rate.begin(now=0.0), 93, "chunks") == "0 of 93 chunks"
