"""`octavo mcp`: serve an MCP client over stdin and stdout, and tell clients of this server."""

from __future__ import annotations

import click

from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.groups import CommandGroup
from octavo.interfaces.cli.options import Choices, pass_choices, shared_options, tools_option
from octavo.interfaces.mcp.clients import CLIENTS
from octavo.interfaces.mcp.output import take_output


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
    wire = take_output()
    # Native libraries print while they load, so what follows is imported only now.
    from octavo.interfaces.cli.actions.mcp import serve

    serve(choices, tools, daemon, wire)


@mcp.add
@command(
    action="mcp_install:install",
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
def install() -> None:
    """Print what a client's configuration needs to start this server, or with --write put it there.

    A --library or --project given here becomes part of the entry. With --http the client starts nothing: it asks
    `octavo serve`, which has to run, at its address and with its token.
    """


@mcp.add
@command(action="mcp_install:uninstall", examples=["octavo mcp uninstall --client cursor"])
@click.option("--client", type=click.Choice(list(CLIENTS)), required=True, help="Which client to tell.")
def uninstall() -> None:
    """Take this server out of a client's configuration; a copy of the old one is kept.

    Everything else in the configuration stays as it was, and so does your library.
    """
