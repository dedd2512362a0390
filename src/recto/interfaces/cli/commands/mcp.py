"""`recto mcp`: serve an MCP client over stdin and stdout, and tell clients of this server."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recto.interfaces.cli.layout import Line, Part
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer

if TYPE_CHECKING:
    from recto.interfaces.mcp.clients import Installed

_CLIENTS = ("claude-code", "claude-desktop", "cursor", "vscode", "codex", "zed")
_TOOLS_HELP = "The set of tools: default, full, or names with commas between them."


@click.group(invoke_without_command=True)
@click.option("--tools", default="default", metavar="SET", help=_TOOLS_HELP)
@click.option("--daemon/--no-daemon", default=None, help="Share one server between all clients; it does unless said.")
@shared_options
@pass_choices
@click.pass_context
def mcp(context: click.Context, choices: Choices, tools: str, daemon: bool | None) -> None:
    """Serve an MCP client over stdin and stdout.

    Clients start this command themselves: `recto mcp install` tells them how. It ends when its input does. All clients
    of a library share one server, which the first of them starts; with --no-daemon, and on Windows, each works alone.
    """
    if context.invoked_subcommand is not None:
        return
    from recto.interfaces.mcp.stdio import serve, take_output

    wire = take_output()
    from recto.config.following import loaded
    from recto.observability.logs import configure

    configure("info" if choices.verbose else "warning")
    config, files = loaded(choices.flags() | ({} if daemon is None else {"daemon.enabled": daemon}))
    if config.daemon.enabled:
        from recto.interfaces.daemon.relay import relayed

        relayed(config, files, tools, wire)
    from recto.operations.table import chosen

    serve(config, files, chosen(tools), wire)


@mcp.command()
@click.option("--client", type=click.Choice(_CLIENTS), required=True, help="Which client to tell.")
@click.option("--write", is_flag=True, help="Change the client's configuration; a copy of the old one is kept.")
@click.option("--tools", default="default", metavar="SET", help=_TOOLS_HELP)
@shared_options
@pass_choices
def install(choices: Choices, client: str, write: bool, tools: str) -> None:
    """Print what a client's configuration needs to start this server, or with --write put it there.

    A --library or --project given here becomes part of the entry.
    """
    from recto.interfaces.mcp.clients import CLIENTS, location, snippet
    from recto.interfaces.mcp.clients import install as put
    from recto.operations.table import chosen

    chosen(tools)
    told = CLIENTS[client]
    line = command_line(choices, tools)
    path = location(told, os.environ, Path.home())
    text = snippet(told, line)
    row: dict[str, Any] = {
        "client": client,
        "path": str(path),
        "entry": text,
        "command": told.command(line) if told.command else None,
    }
    done = put(told, path, line) if write else None
    if done:
        row |= {"path": str(done.path), "changed": done.changed, "backup": str(done.backup) if done.backup else None}
    columns = ("client", "path", "changed", "backup") if done else ("client", "path", "entry")
    choices.answer(
        Answer(row, [row], columns, lambda width: _lines(row, told.title, told.afterwards, done), files=[row["path"]])
    )


def command_line(choices: Choices, tools: str) -> list[str]:
    """How to start this very installation, whatever the client's search path is."""
    program = shutil.which(sys.argv[0]) if Path(sys.argv[0]).stem == "recto" else None
    line = [str(Path(program).absolute())] if program else [sys.executable, "-m", "recto"]
    line.append("mcp")
    line += ["--tools", tools] if tools != "default" else []
    if choices.library:
        # A URL goes in without its password: ~/.pgpass and PGPASSFILE are for that.
        where = choices.library.absolute() if isinstance(choices.library, Path) else choices.library
        line += ["--library", str(where)]
    line += ["--project", choices.project] if choices.project else []
    return line


def _lines(row: dict[str, Any], title: str, afterwards: str, done: Installed | None) -> Iterator[Line]:
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
