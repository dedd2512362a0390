"""Help that every command has: a description of each option, examples, and nothing heavy to print it."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
from cli_calls import Octavo

from octavo.interfaces.cli.commands_from_requests import OperationCommand
from octavo.interfaces.cli.main import cli
from octavo.interfaces.mcp.supported_clients import CLIENTS

ROOT = Path(__file__).parents[2]
EXTRA = re.compile(r"octavo\[([a-z0-9,-]+)\]")
TEXTS = [
    *(path for path in (ROOT / "src").rglob("*.py")),
    *(path for path in (ROOT / "docs").rglob("*.md")),
    ROOT / "README.md",
]

EVERY_HELP = """
import sys, click
from octavo.interfaces.cli.main import cli
from octavo.interfaces.mcp.supported_clients import CLIENTS
def read(group, context):
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = click.Context(command, parent=context, info_name=name)
        command.get_help(inner)
        if isinstance(command, click.Group):
            read(command, inner)
read(cli, click.Context(cli, info_name="octavo"))
sys.stderr.write(" ".join(sys.modules))
"""


def commands(group: click.Group, path: str = "octavo") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group, info_name=path)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")


def listed(text: str) -> list[str]:
    return re.findall(r"^  ([a-z][a-z-]*) {2,}", text, re.MULTILINE)


def test_help_names_a_dozen_commands_and_every_group(octavo: Octavo) -> None:
    daily, _, groups = octavo("--help").stdout.partition("\nEvery day:")[2].partition("\nGroups of commands:")
    assert len(listed(daily)) == 12
    made = {name for path, command in commands(cli) if isinstance(command, click.Group) for name in path.split()[1:]}
    assert sorted(listed(groups)) == sorted(made)
    assert "`octavo help --all` lists every command" in groups


def test_help_with_all_names_every_command_once_under_a_heading(octavo: Octavo) -> None:
    assert "Others:" not in octavo("help", "--all").stdout
    assert sorted(listed(octavo("help", "--all").stdout)) == sorted(cli.list_commands(click.Context(cli)))


def test_a_group_shows_the_first_sentence_of_a_command_whole(octavo: Octavo) -> None:
    assert "or with --write put it there." in " ".join(octavo("mcp", "--help").stdout.split())


def test_every_option_is_described() -> None:
    described = {
        (path, option.opts[0]): bool(option.help)
        for path, command in commands(cli)
        for option in command.params
        if isinstance(option, click.Option)
    }
    assert [option for option, said in described.items() if not said] == []


def test_no_help_text_spells_a_default() -> None:
    """What stands in a field or in the configuration is shown from there."""
    spelled = [
        (path, option.opts[0])
        for path, command in commands(cli)
        for option in command.params
        if isinstance(command, OperationCommand)
        and isinstance(option, click.Option)
        and "unless said" in (option.help or "")
    ]
    assert spelled == []


def test_global_options_are_explained_once(octavo: Octavo) -> None:
    assert "--library PATH|URL" in octavo("--help").stdout
    for words in (["search"], ["mcp", "install"], ["graph"], ["graph", "related"]):
        help = octavo(*words, "--help").stdout
        assert "--verbose" not in help
        assert help.endswith("Options of every command, such as --library and --json: octavo --help.\n")


def test_a_missing_choice_is_named_on_one_line(octavo: Octavo) -> None:
    said = octavo("mcp", "install").stderr.splitlines()[0]
    assert said == f"error: Missing option '--client'. Choose from: {', '.join(CLIENTS)}"


def test_every_extra_that_is_named_exists() -> None:
    known = set(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])
    named = {
        (path.relative_to(ROOT).as_posix(), extra)
        for path in TEXTS
        for found in EXTRA.findall(path.read_text("utf-8"))
        for extra in found.split(",")
    }
    assert {extra for _, extra in named} >= {"postgres", "train"}
    assert {place for place in named if place[1] not in known} == set()


WITHOUT_PSYCOPG = """
import runpy, sys
sys.modules["psycopg"] = None
runpy.run_module("octavo", run_name="__main__")
"""


def test_a_missing_extra_is_a_configuration_error_to_people_and_machines() -> None:
    asked = ["status", "--library", "postgresql://nowhere/library", "--json"]
    done = subprocess.run([sys.executable, "-c", WITHOUT_PSYCOPG, *asked], capture_output=True, text=True)
    assert (done.returncode, '"code": "CONFIGURATION"' in done.stdout) == (3, True)


def test_no_help_imports_anything_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", EVERY_HELP], capture_output=True, text=True, check=True)
    assert {"numpy", "onnxruntime", "pydantic", "apsw", "rich", "mcp", "fastapi"}.isdisjoint(done.stderr.split())
