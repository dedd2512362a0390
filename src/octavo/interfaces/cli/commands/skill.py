"""`octavo skill`: what an agent should know about Octavo, as a file its client reads."""

from __future__ import annotations

from pathlib import Path

import click

from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.groups import CommandGroup
from octavo.interfaces.mcp.clients import CLIENTS


@click.group(cls=CommandGroup)
def skill() -> None:
    """Teach an agent when and how to use Octavo.

    A skill is a folder with a SKILL.md, which the agent reads when a task calls for it.
    """


@skill.add
@command(action="skill:show", examples=["octavo skill show"])
def show() -> None:
    """Print the skill: when and how to search, cite and remember."""


@skill.add
@command(
    action="skill:install",
    examples=["octavo skill install --client claude-code", "octavo skill install --client codex --here"],
)
@click.option(
    "--client",
    "clients",
    type=click.Choice([client.name for client in CLIENTS.values() if client.skills]),
    multiple=True,
    help="Which client to teach; without it, those that are installed here. May be repeated.",
)
@click.option("--here", is_flag=True, help="Only for the project in this folder, rather than for all of this user's.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Into this folder of skills, whichever client reads it.",
)
def install() -> None:
    """Put the skill where clients look for skills. A file that is there already and differs is kept as a copy."""
