"""What a start costs, and what the outermost layer promises."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from cli_calls import Location, Octavo, Shell, Vault

import octavo as package
from octavo.interfaces.cli.commands_from_requests import OperationCommand
from octavo.interfaces.cli.main import cli, summary

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


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["search", "--help"], ["nonsense"]])
def test_help_and_version_import_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from octavo.interfaces.cli.main import cli\n"
        "try:\n    cli.main(sys.argv[1:])\n"
        "except SystemExit:\n    pass\n"
        "sys.stderr.write('\\n' + ' '.join(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    loaded = done.stderr.rpartition("\n")[2].split()
    assert HEAVY.isdisjoint(loaded)


@pytest.mark.one_engine
def test_every_command_says_in_its_own_help_what_the_list_says_of_it(octavo: Octavo) -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        result = octavo(name, "--help")
        assert result.exit_code == 0
        assert summary(name).endswith(".")
        command = cli.get_command(context, name)
        if isinstance(command, OperationCommand):
            assert command.explained().startswith(summary(name).rstrip("."))


def test_alone_it_greets_and_says_the_next_step_for_this_folder(
    octavo: Octavo, environment: Path, bare_location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCTAVO_LIBRARY", str(bare_location))

    def steps() -> list[str]:
        said = octavo()
        assert (said.exit_code, said.stderr) == (0, "")
        assert said.stdout.startswith(f"Octavo {package.__version__}\n")
        return re.findall("^  (octavo .*?)  ", said.stdout, re.MULTILINE)[:-1]

    notes, nothing = environment / "notes", environment / "nothing"
    nothing.mkdir()
    (notes / "below").mkdir(parents=True)
    (notes / "below" / "pump.md").write_text("# Pump\n\nBehind the boiler.\n")
    asking = ['octavo search "a question"', 'octavo ask "a question"']

    monkeypatch.chdir(nothing)
    assert steps() == ["octavo start FOLDER"]
    monkeypatch.chdir(notes)
    assert steps() == ['octavo try . "a question"', "octavo start"]
    octavo("init")
    assert steps() == ["octavo start"]
    monkeypatch.chdir(nothing)
    assert steps() == ["octavo start FOLDER"]
    monkeypatch.chdir(notes)
    octavo("add", ".")
    assert steps() == ["octavo index"]
    octavo("index")
    assert steps() == asking
    monkeypatch.chdir(nothing)
    assert steps() == asking
    assert octavo("--json").exit_code == 2


def test_the_version_is_the_packages(octavo: Octavo) -> None:
    assert octavo("--version").stdout == octavo("version").stdout
    told = json.loads(octavo("version", "--json").stdout)
    assert (told["version"], told["commit"]) == (package.__version__, None)
    assert set(told["formats"]) == {"library", "snapshot"}


@pytest.mark.one_engine
def test_python_m_octavo_is_octavo(shell: Shell) -> None:
    done = shell("version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"octavo {package.__version__} (from a checkout; library ")


def test_a_report_tells_versions_and_sizes_and_nothing_of_the_owners(octavo: Octavo, vault: Vault) -> None:
    told = octavo("doctor", "--report").stdout
    assert f"octavo {package.__version__}" in told and "chunks" in told and "ok: collection" in told
    names = {vault.folder.name, str(vault.library), *(path.stem for path in vault.folder.rglob("*.md"))}
    assert not [name for name in names if name in told]


@pytest.mark.one_engine
def test_a_report_of_a_library_that_does_not_open_tells_versions_and_the_code(octavo: Octavo, tmp_path: Path) -> None:
    broken = tmp_path / "private.db"
    broken.write_bytes(b"no library" * 1000)
    told = octavo("--library", broken, "doctor", "--report")
    assert told.exit_code == 3 and f"octavo {package.__version__}" in told.stdout
    assert told.stdout.endswith("\nwrong: INDEX_CORRUPT\n") and "private" not in told.stdout


@pytest.mark.usefixtures("vault")
def test_an_operation_is_also_called_by_its_own_name(octavo: Octavo) -> None:
    assert octavo("health-check").stdout == octavo("doctor").stdout
    assert octavo("profiles_list", "--json").stdout == octavo("profiles", "list", "--json").stdout


def test_the_reference_is_what_the_commands_say() -> None:
    script = ROOT / "scripts" / "make_cli_reference.py"
    subprocess.run([sys.executable, script, "--check"], check=True)


def test_dev_names_its_commands_and_refuses_others() -> None:
    shown = subprocess.run([ROOT / "dev", "help"], capture_output=True, text=True, check=True).stdout
    assert all(f"./dev {name}" in shown for name in ("try", "test", "check", "fix", "golden", "bench", "eval"))
    refused = subprocess.run([ROOT / "dev", "nonsense"], capture_output=True, text=True)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "there is no command nonsense" in refused.stderr


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_manual_page_is_formatted_without_a_warning() -> None:
    groff = ["groff", "-man", "-ww", "-Tutf8", "-P-cbu", ROOT / "docs" / "man" / "octavo.1"]
    done = subprocess.run(groff, capture_output=True, encoding="utf-8", check=True)
    assert done.stderr == ""
    assert all(f"octavo {name} " in done.stdout for name in ("search", "config set", "db migrate"))


def test_completion_scripts_are_printed_for_each_shell(octavo: Octavo, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("bash", "zsh", "fish", "powershell"):
        assert "_OCTAVO_COMPLETE" in octavo("completion", name).stdout
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert octavo("completion").stdout == octavo("completion", "fish").stdout
    monkeypatch.setenv("SHELL", "/usr/bin/nonsense")
    assert octavo("completion").exit_code == 2


def complete(shell: Shell, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    monkeypatch.setenv("_OCTAVO_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(["octavo", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    done = shell()
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.split()]


@pytest.mark.usefixtures("vault")
def test_the_shell_is_offered_commands_collections_profiles_and_uris(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert complete(shell, monkeypatch, "sea") == ["search", "search-docs", "search-code"]
    assert complete(shell, monkeypatch, "search", "-c", "n") == ["notes"]
    assert complete(shell, monkeypatch, "search", "-p", "hybrid_") == ["hybrid_rerank", "hybrid_rrf"]
    assert complete(shell, monkeypatch, "get", "garden/") == ["garden/apples.md"]


@pytest.mark.one_engine
def test_the_shell_is_offered_settings_and_their_values(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete(shell, monkeypatch, "config", "set", "retrieval.lim") == ["retrieval.limit"]
    assert complete(shell, monkeypatch, "config", "set", "snapshots.vectors", "") == ["codes", "ivfpq", "hnsw"]


@pytest.mark.parametrize(
    ("words", "typed", "offered"),
    [
        ([], "outl", ["outline\tList a document's headings."]),
        (["config", "set", "watch.polling"], "", ["true\t", "false\t"]),
        (["get"], "'garden/", ["garden/apples.md\t"]),
        (["mcp", "install", "--client"], "cod", ["codex\t"]),
    ],
)
@pytest.mark.usefixtures("vault")
@pytest.mark.one_engine
def test_powershell_is_offered_values_with_their_help(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, words: list[str], typed: str, offered: list[str]
) -> None:
    monkeypatch.setenv("_OCTAVO_COMPLETE", "powershell_complete")
    monkeypatch.setenv("_OCTAVO_COMPLETE_ARGUMENTS", "\n".join(words))
    monkeypatch.setenv("_OCTAVO_COMPLETE_TYPED", typed)
    done = shell()
    assert (done.stdout.splitlines(), done.stderr) == (offered, "")


def test_the_shell_is_offered_nothing_where_there_is_no_library(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete(shell, monkeypatch, "search", "-c", "n") == []
