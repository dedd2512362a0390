"""`octavo mcp install`, `uninstall`: what a client's configuration needs to start this server, and without it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from octavo.config.load import load
from octavo.errors import InvalidArgument
from octavo.interfaces.access_token import read_token
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.mcp.clients import CLIENTS, NAME, Client
from octavo.interfaces.mcp.installing import InstalledClient, location, snippet
from octavo.interfaces.mcp.installing import install as put
from octavo.interfaces.mcp.installing import uninstall as take_out
from octavo.interfaces.presenting.formats import Answer
from octavo.model.location import expand_user
from octavo.operations.lines import Line, Part
from octavo.operations.table import chosen


def install(choices: Choices, client: str, write: bool, tools: str, http: bool) -> None:
    chosen(tools)
    target = CLIENTS[client]
    line = command_line(choices, tools)
    entry = remote_entry(choices, target) if http else target.entry(line)
    path = location(target, os.environ, Path.home())
    text = snippet(target, entry)
    row: dict[str, Any] = {
        "client": client,
        "path": str(path),
        "entry": text,
        # None with a token: the list of processes shows every account what a command was given.
        "command": target.command(line) if target.command and not http else None,
    }
    done = put(target, path, entry) if write else None
    if done:
        row |= {"path": str(done.path), "changed": done.changed, "backup": str(done.backup) if done.backup else None}
    columns = ("client", "path", "changed", "backup") if done else ("client", "path", "entry")
    choices.answer(
        Answer(
            row, [row], columns, lambda width: _lines(row, target.title, target.afterwards, done), files=[row["path"]]
        )
    )


def uninstall(choices: Choices, client: str) -> None:
    target = CLIENTS[client]
    done = take_out(target, location(target, os.environ, Path.home()))
    row: dict[str, Any] = {
        "client": client,
        "path": str(done.path),
        "changed": done.changed,
        "backup": str(done.backup) if done.backup else None,
    }
    columns = ("client", "path", "changed", "backup")
    choices.answer(Answer(row, [row], columns, lambda width: _removal(target, done), files=[row["path"]]))


def _removal(target: Client, done: InstalledClient) -> Iterator[Line]:
    if not done.changed:
        yield (Part(f"{done.path} has no {NAME}."),)
        if target.removal:
            yield (Part(f"Added otherwise? {target.removal}", "dim"),)
        return
    yield (Part(f"Removed {NAME} from {done.path}."),)
    yield (Part(f"As it was before: {done.backup}", "dim"),)
    yield (Part("A running client keeps its server until it is started again. Your library stays.", "dim"),)


def remote_entry(choices: Choices, target: Client) -> dict[str, Any]:
    """How the client reaches `octavo serve` of this account, which has to run: the address, and the token."""
    if target.remote is None:
        raise InvalidArgument(f"{target.title} starts servers, and asks none at an address", hint="leave out --http")
    settings = load(choices.flags()).config.serve
    token = read_token(settings)
    return target.remote(
        f"http://{settings.host}:{settings.port}/mcp", {"Authorization": f"Bearer {token}"} if token else {}
    )


def command_line(choices: Choices, tools: str) -> list[str]:
    """How to start this very installation, whatever the client's search path is."""
    program = shutil.which(sys.argv[0]) if Path(sys.argv[0]).stem == "octavo" else None
    line = [str(Path(program).absolute())] if program else [sys.executable, "-m", "octavo"]
    line.append("mcp")
    line += ["--tools", tools] if tools != "default" else []
    library = load(choices.flags()).config.library
    if library:
        # The one in effect here, whoever named it: a client starts the server elsewhere, without this environment.
        # A URL goes in without its password: ~/.pgpass and PGPASSFILE are for that.
        where = expand_user(library).absolute() if isinstance(library, Path) else library
        line += ["--library", str(where)]
    line += ["--project", choices.project] if choices.project else []
    return line


def _lines(row: dict[str, Any], title: str, afterwards: str, done: InstalledClient | None) -> Iterator[Line]:
    if done is None:
        if row["command"]:
            yield (Part(f"Run this, and {title} does the rest:"),)
            yield (Part(f"  {row['command']}"),)
            yield (Part(f"Or add this to {row['path']}; --write does it for you:"),)
        else:
            yield (Part(f"Add this to {row['path']}; --write does it for you:"),)
        for line in row["entry"].splitlines():
            yield (Part(f"  {line}"),)
    elif not done.changed:
        yield (Part(f"{done.path} has it already."),)
    else:
        yield (Part(f"Changed {done.path}."),)
        if done.backup:
            yield (Part(f"As it was before: {done.backup}", "dim"),)
    yield (Part(afterwards, "dim"),)
