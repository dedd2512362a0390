"""The examples in every command's help, run as they stand over the vault in examples/."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cli_calls import Octavo, surroundings
from click.testing import CliRunner

from octavo.interfaces.cli.from_request import OperationCommand
from octavo.interfaces.cli.main import cli

VAULT = Path(__file__).parents[2] / "examples" / "vault"
ENDLESS = {"octavo serve", "octavo tui", "octavo mcp", "octavo watch", "octavo worker", "octavo daemon run"}
"""Commands that run until they are stopped: their examples are read, and not run."""
ELSEWHERE = {
    "octavo config edit",
    "octavo daemon stop",
    "octavo models finetune",
    "octavo models fetch",
    "octavo models remove",
    "octavo snapshots rollback",
    "octavo db migrate",
}
"""Commands that need what a test has not got: an editor, torch, a model, an earlier snapshot, a server."""
BEFORE = (
    ["init"],
    ["add", "observatory", "--name", "observatory", "--writable"],
    ["index"],
    [
        "remember",
        "The dome closes by itself when the humidity stays above 85 per cent.",
        "--title",
        "Dome and humidity",
    ],
    ["memory", "commit", "The dome closes after five minutes above 85 per cent.", "--item", "Dome and humidity"],
    ["memory", "link", "Dome and humidity", "observing/Closing down.md"],
    ["remember", "Perhaps paint the dome green.", "--title", "A passing thought"],
    ["canonical", "upsert", "plans/closing", "observatory/observing/Closing down.md"],
    ["sessions", "start", "Aligning the finder"],
    ["eval", "make", "--out", "questions", "--limit", "5"],
)


def commands(group: click.Group, path: str) -> Iterator[tuple[str, OperationCommand]]:
    context = click.Context(group, info_name=path)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        elif isinstance(command, OperationCommand):
            yield f"{path} {name}", command


MADE = dict(commands(cli, "octavo"))


@pytest.fixture(scope="session")
def observatory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the vault, as a git repository of one commit, and the library that has indexed it."""
    folder = tmp_path_factory.mktemp("examples")
    shutil.copytree(VAULT, folder / "observatory")
    git = ["git", "-C", str(folder / "observatory"), "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "Write down how the dome is closed"]):
        subprocess.run([*git, *arguments], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, value in surroundings(tmp_path_factory.mktemp("home")).items():
            patch.setenv(name, value)
        patch.setenv("OCTAVO_LIBRARY", str(folder / "library.db"))
        for arguments in BEFORE:
            result = CliRunner().invoke(cli, arguments)
            assert result.exit_code == 0, result.output
    return folder


@pytest.mark.parametrize("name", MADE)
def test_the_examples_of_a_command_work(
    name: str, observatory: Path, octavo: Octavo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "examples"
    shutil.copytree(observatory, work)
    monkeypatch.chdir(work)
    monkeypatch.setenv("OCTAVO_LIBRARY", str(work / "library.db"))
    assert MADE[name].examples
    for example in MADE[name].examples:
        called, *arguments = shlex.split(example)
        assert called == "octavo"
        if name in ENDLESS | ELSEWHERE:
            MADE[name].make_context(name, arguments[name.count(" ") :])
        else:
            result = octavo(*arguments)
            said = result.stderr if result.stdout else ""  # where the answer is empty, why is said there
            assert (result.exit_code, said) == (0, ""), example
