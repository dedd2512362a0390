"""`octavo skill`: what an agent should know about Octavo, as a file its client reads."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from octavo.interfaces.cli.command_group_with_suggestions import CommandGroup
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.global_options import Choices
from octavo.interfaces.mcp.supported_clients import CLIENTS, NAME, Client
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.operations.styled_answer_lines import Line, Part

_FILE = "SKILL.md"


@click.group(cls=CommandGroup)
def skill() -> None:
    """Teach an agent when and how to use Octavo.

    A skill is a folder with a SKILL.md, which the agent reads when a task calls for it.
    """


@skill.add
@command(examples=["octavo skill show"])
def show(choices: Choices) -> None:
    """Print the skill: when and how to search, cite and remember."""
    text = skill_text()
    row = {"name": NAME, "text": text}
    choices.answer(
        Answer(row, [row], ("name", "text"), lambda width: [(Part(line),) for line in text.splitlines()], exact=text)
    )


@skill.add
@command(examples=["octavo skill install --client claude-code", "octavo skill install --client codex --here"])
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
def install(choices: Choices, clients: tuple[str, ...], here: bool, folder: Path | None) -> None:
    """Put the skill where clients look for skills. A file that is there already and differs is kept as a copy."""
    chosen = [CLIENTS[name] for name in dict.fromkeys(clients)] or ([] if folder else _installed(Path.home()))
    places = [(client.title, _folder(client, here)) for client in chosen]
    if folder:
        places.append((str(folder), folder))
    if here:
        from octavo.interfaces.mcp.client_config_installation import refuse_links_out

        refuse_links_out(Path.cwd(), [place / NAME / _FILE for _, place in places])
    rows = [_put(title, place / NAME / _FILE) for title, place in places]
    columns = ("client", "path", "changed", "backup")
    choices.answer(
        Answer({"skills": rows}, rows, columns, lambda width: _lines(rows), files=[row["path"] for row in rows])
    )


def skill_text() -> str:
    return files("octavo.interfaces.mcp").joinpath("skill", _FILE).read_text("utf-8")


def _installed(home: Path) -> list[Client]:
    """Clients of this user: each keeps a folder of its own below the home directory."""
    with_skills = [client for client in CLIENTS.values() if client.skills]
    clients = [client for client in with_skills if any((home / name).is_dir() for name in client.folders)]
    if not clients:
        names = ", ".join(client.name for client in with_skills)
        raise click.UsageError(f"No client that reads skills was found. Name one with --client: {names}.")
    return clients


def _folder(client: Client, here: bool) -> Path:
    return Path.cwd() / client.project_skills if here else Path.home() / client.skills


def _put(title: str, path: Path) -> dict[str, Any]:
    from octavo.interfaces.mcp.client_config_installation import write_client_file

    done = write_client_file(path, skill_text())
    return {
        "client": title,
        "path": str(done.path),
        "changed": done.changed,
        "backup": str(done.backup) if done.backup else None,
    }


def _lines(rows: list[dict[str, Any]]) -> list[Line]:
    lines: list[Line] = []
    for row in rows:
        sentence = f"{row['client']} reads {row['path']} from its next session on."
        lines.append((Part(sentence if row["changed"] else f"{row['path']} is there already."),))
        if row["backup"]:
            lines.append((Part(f"As it was before: {row['backup']}", "dim"),))
    return lines
