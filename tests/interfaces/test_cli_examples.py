"""The examples in every command's help, run as they stand over the vault in examples/."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cli_calls import Octavo, Vault, surroundings
from click.testing import CliRunner
from library_places import Databases, ServerDatabases

from octavo.interfaces.cli.commands_from_requests import OperationCommand
from octavo.interfaces.cli.main import cli

VAULT = Path(__file__).parents[2] / "examples" / "vault"
ENDLESS = {"octavo serve", "octavo tui", "octavo mcp", "octavo watch", "octavo worker", "octavo daemon run"}
"""Commands that run until they are stopped: their examples are read, and not run."""
ELSEWHERE = {
    "octavo config edit",
    "octavo daemon stop",
    "octavo models finetune",
    "octavo fetch",
    "octavo models fetch",
    "octavo models remove",
    "octavo snapshots rollback",
    "octavo db migrate",
    "octavo start",
}
"""Commands that need what a test has not got: an editor, torch, a model, an earlier snapshot, a server, a browser."""
IN_A_FILE = {
    "octavo db backup",
    "octavo db restore",
    *(f"octavo snapshots {name}" for name in ("list", "build", "recover", "verify")),
}
"""Commands for a library in a file: a server has its own copies, and its own indexes."""
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
    ["tokens", "create", "laptop"],
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
def observatory(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """A folder with the vault, as a git repository of one commit, and the library that has indexed it."""
    folder, library = tmp_path_factory.mktemp("examples"), databases.empty()
    shutil.copytree(VAULT, folder / "observatory")
    git = ["git", "-C", str(folder / "observatory"), "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "Write down how the dome is closed"]):
        subprocess.run([*git, *arguments], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, value in surroundings(tmp_path_factory.mktemp("home")).items():
            patch.setenv(name, value)
        patch.delenv("OCTAVO_EMBEDDING_PROVIDER")
        patch.setenv("OCTAVO_LIBRARY", str(library))
        for arguments in BEFORE:
            result = CliRunner().invoke(cli, arguments)
            assert result.exit_code == 0, result.output
    return Vault(folder, library)


def copied(observatory: Vault, databases: Databases, folder: Path) -> Vault:
    """Both of them, in a folder that is not there yet."""
    return Vault(Path(shutil.copytree(observatory.folder, folder)), databases.copy(observatory.library))


@pytest.fixture(scope="session")
def read(observatory: Vault, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """For all commands that change nothing."""
    return copied(observatory, databases, tmp_path_factory.mktemp("read") / "examples")


@pytest.fixture
def vault(
    name: str, observatory: Vault, read: Vault, databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Vault]:
    """For one command, which stands in the folder; what changes anything gets its own."""
    row = MADE[name].row
    own = row is None or not row.annotations.read_only
    given = copied(observatory, databases, tmp_path / "examples") if own else read
    monkeypatch.chdir(given.folder)
    monkeypatch.setenv("OCTAVO_LIBRARY", str(given.library))
    yield given
    if own:
        databases.remove(given.library)


@pytest.mark.parametrize("name", [name for name in MADE if name in ENDLESS | ELSEWHERE])
def test_the_examples_of_a_command_that_is_not_run_are_understood(name: str) -> None:
    Path("observatory").mkdir()
    assert MADE[name].examples
    for example in MADE[name].examples:
        MADE[name].make_context(name, shlex.split(example)[name.count(" ") + 1 :])


@pytest.mark.parametrize("name", [name for name in MADE if name not in ENDLESS | ELSEWHERE])
@pytest.mark.usefixtures("vault")
def test_the_examples_of_a_command_work(name: str, octavo: Octavo, databases: Databases) -> None:
    assert MADE[name].examples
    for example in MADE[name].examples:
        called, *arguments = shlex.split(example)
        assert called == "octavo"
        result = octavo(*arguments)
        if name in IN_A_FILE and isinstance(databases, ServerDatabases):
            assert (result.exit_code, "hint: " in result.stderr) == (2, True)
            break
        said = result.stderr if result.stdout else ""  # where the answer is empty, why is said there
        assert (result.exit_code, said) == (0, ""), example
