"""`octavo mcp`: serve an MCP client over stdin and stdout, and tell clients of this server."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from octavo.errors import InvalidArgument
from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.groups import CommandGroup
from octavo.interfaces.cli.options import Choices, pass_choices, shared_options, tools_option
from octavo.interfaces.mcp.clients import CLIENTS, NAME, Client
from octavo.interfaces.mcp.output import take_output
from octavo.interfaces.presenting.formats import Answer
from octavo.model.location import expand_user
from octavo.observability.logs import configure
from octavo.operations.lines import Line, Part

if TYPE_CHECKING:
    from octavo.interfaces.mcp.installing import InstalledClient


@click.group(cls=CommandGroup, invoke_without_command=True)
@tools_option
@click.option(
    "--daemon/--no-daemon", default=None, help="Whether all clients share one server.", show_default="daemon.enabled"
)
@shared_options
@pass_choices
@click.pass_context
def mcp(context: click.Context, choices: Choices, tools: str, daemon: bool | None) -> None:
    """Serve an MCP client over stdin and stdout.

    Clients start this command themselves: `octavo mcp install` tells them how. It ends when its input does. All clients
    of a library share one server, which the first of them starts; with --no-daemon, and on Windows, each works alone.
    """
    if context.invoked_subcommand is not None:
        return
    serve(choices, tools, daemon, take_output())


@mcp.add
@command(
    examples=[
        "octavo mcp install --client cursor",
        "octavo mcp install --client zed --tools code,memory",
        "octavo mcp install --client cursor --http",
    ],
)
@click.option("--client", type=click.Choice(list(CLIENTS)), required=True, help="Which client to tell.")
@click.option("--write", is_flag=True, help="Change the client's configuration; a copy of the old one is kept.")
@tools_option
@click.option("--http", is_flag=True, help="Tell it the address of `octavo serve`, and the token.")
def install(choices: Choices, client: str, write: bool, tools: str, http: bool) -> None:
    """Print what a client's configuration needs to start this server, or with --write put it there.

    A --library or --project given here becomes part of the entry. With --http the client starts nothing: it asks
    `octavo serve`, which has to run, at its address and with its token.
    """
    from octavo.interfaces.mcp.installing import install as put
    from octavo.interfaces.mcp.installing import location, snippet
    from octavo.operations.table import chosen

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


@mcp.add
@command(examples=["octavo mcp uninstall --client cursor"])
@click.option("--client", type=click.Choice(list(CLIENTS)), required=True, help="Which client to tell.")
def uninstall(choices: Choices, client: str) -> None:
    """Take this server out of a client's configuration; a copy of the old one is kept.

    Everything else in the configuration stays as it was, and so does your library.
    """
    from octavo.interfaces.mcp.installing import location
    from octavo.interfaces.mcp.installing import uninstall as take_out

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


def serve(choices: Choices, tools: str, daemon: bool | None, wire: int) -> None:
    # Native libraries print while they load, so what follows is imported once the output is taken.
    from octavo.config.reloading import load_with_files
    from octavo.interfaces.daemon.relay import relayed

    config, files = load_with_files(choices.flags() | ({} if daemon is None else {"daemon.enabled": daemon}))
    configure("info" if choices.verbose else config.log_level, format=config.log_format)
    if config.daemon.enabled:
        relayed(config, files, tools, wire)
    # A client whose messages are passed on to the library's server pays for none of this.
    from octavo.interfaces.mcp.stdio import serve as serve_alone

    serve_alone(config, files, tools, wire)


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
    from octavo.config.load import load
    from octavo.interfaces.access_token import read_token

    if target.remote is None:
        raise InvalidArgument(f"{target.title} starts servers, and asks none at an address", hint="leave out --http")
    settings = load(choices.flags()).config.serve
    token = read_token(settings)
    return target.remote(
        f"http://{settings.host}:{settings.port}/mcp", {"Authorization": f"Bearer {token}"} if token else {}
    )


def command_line(choices: Choices, tools: str) -> list[str]:
    """How to start this very installation, whatever the client's search path is."""
    from octavo.config.load import load

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
