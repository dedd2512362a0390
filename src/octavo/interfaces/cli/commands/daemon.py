"""`octavo daemon`: look at the server that the clients of a library share, or end it."""

from __future__ import annotations

import click

from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.groups import CommandGroup
from octavo.interfaces.cli.options import shared_options


@click.group(cls=CommandGroup)
@shared_options
def daemon() -> None:
    """Look at the server that the clients of a library share, or end it.

    `octavo mcp` starts it when it is needed, and it ends by itself some time after its last client.
    """


@daemon.add
@command(action="daemon:status", examples=["octavo daemon status"])
def status() -> None:
    """Say whether a server runs for this library, and where its socket and its log are."""


@daemon.add
@command(action="daemon:stop", examples=["octavo daemon stop"])
def stop() -> None:
    """End the server now. Its clients start another one when they need it."""


@daemon.add
@command(action="daemon_server:run", examples=["octavo daemon run --idle 900"], hidden=True)
@click.option("--idle", type=float, required=True, help="Seconds without a client after which it ends.")
@click.option("--ready", type=int, metavar="FD", help="Where to say that clients can connect.")
def run() -> None:
    """Be the server. Clients start this themselves."""
