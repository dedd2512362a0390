"""What a start costs, and what the outermost layer promises."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_calls import Recto, Shell

import recto as package
from recto.interfaces.cli.main import COMMANDS, cli

HEAVY = {
    "apsw",
    "numpy",
    "onnxruntime",
    "pathspec",
    "platformdirs",
    "pydantic",
    "rich",
    "Stemmer",
    "tokenizers",
    "yaml",
    "zstandard",
}
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["search", "--help"], ["version"], ["nonsense"]])
def test_help_and_version_import_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from recto.interfaces.cli.main import cli\n"
        "try:\n    cli.main(sys.argv[1:])\n"
        "except SystemExit:\n    pass\n"
        "sys.stderr.write('\\n' + ' '.join(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    loaded = done.stderr.rpartition("\n")[2].split()
    assert HEAVY.isdisjoint(loaded)


def test_every_command_is_where_the_table_says_and_says_the_same_of_itself(recto: Recto) -> None:
    for name, entry in COMMANDS.items():
        result = recto(name, "--help")
        assert result.exit_code == 0
        command = cli.commands.get(name) or cli.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        assert command.help
        assert entry.help.rstrip(".")


def test_the_version_is_the_packages(recto: Recto) -> None:
    assert recto("--version").stdout == f"recto {package.__version__}\n"
    assert json.loads(recto("version", "--json").stdout) == {"version": package.__version__}


def test_python_m_recto_is_recto(shell: Shell) -> None:
    done = shell("version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"recto {package.__version__}\n", "")


def test_the_reference_is_what_the_commands_say() -> None:
    script = ROOT / "scripts" / "make_cli_reference.py"
    subprocess.run([sys.executable, script, "--check"], check=True)


def test_dev_names_its_commands_and_refuses_others() -> None:
    shown = subprocess.run([ROOT / "dev", "help"], capture_output=True, text=True, check=True).stdout
    assert all(f"./dev {name}" in shown for name in ("try", "test", "check", "fix", "golden", "bench", "eval"))
    refused = subprocess.run([ROOT / "dev", "nonsense"], capture_output=True, text=True)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "there is no command nonsense" in refused.stderr


def test_completion_scripts_are_printed_for_each_shell(recto: Recto, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("bash", "zsh", "fish"):
        assert "_RECTO_COMPLETE" in recto("completion", name).stdout
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert recto("completion").stdout == recto("completion", "fish").stdout
    monkeypatch.setenv("SHELL", "/usr/bin/nonsense")
    assert recto("completion").exit_code == 2


def complete(shell: Shell, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    monkeypatch.setenv("_RECTO_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(["recto", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    done = shell()
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.split()]


@pytest.mark.usefixtures("vault")
def test_the_shell_is_offered_commands_collections_profiles_and_uris(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert complete(shell, monkeypatch, "sea") == ["search"]
    assert complete(shell, monkeypatch, "search", "-c", "n") == ["notes"]
    assert complete(shell, monkeypatch, "search", "-p", "hybrid_") == ["hybrid_rrf"]
    assert complete(shell, monkeypatch, "get", "garden/") == ["garden/apples.md"]


def test_the_shell_is_offered_nothing_where_there_is_no_library(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete(shell, monkeypatch, "search", "-c", "n") == []
