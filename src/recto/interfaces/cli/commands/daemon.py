"""`recto daemon`: look at the server that the clients of a library share, or end it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from recto.errors import NotFound
from recto.interfaces.cli.layout import Line, Part, columns
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer

if TYPE_CHECKING:
    from recto.interfaces.daemon.client import Connection

_COLUMNS = ("running", "pid", "version", "clients", "socket", "log")


@click.group()
@shared_options
def daemon() -> None:
    """Look at the server that the clients of a library share, or end it.

    `recto mcp` starts it when it is needed, and it ends by itself some time after its last client.
    """


@daemon.command()
@shared_options
@pass_choices
def status(choices: Choices) -> None:
    """Say whether a server runs for this library, and where its socket and its log are."""
    address, connection = _asked(choices, "about")
    row: dict[str, Any] = {"running": False, "pid": None, "version": None, "clients": 0}
    if connection is not None:
        told = connection.greeting
        # This question is a client too, and leaves.
        row = {
            "running": True,
            "pid": told["pid"],
            "version": told["version"],
            "clients": max(0, int(told["clients"]) - 1),
        }
        connection.close()
    row |= {"socket": str(address.socket), "log": str(address.log)}
    choices.answer(Answer(row, [row], _COLUMNS, lambda width: _lines(row), files=[row["socket"]]))


@daemon.command()
@shared_options
@pass_choices
def stop(choices: Choices) -> None:
    """End the server now. Its clients start another one when they need it."""
    _, connection = _asked(choices, "stop")
    if connection is None:
        raise NotFound("no server runs for this library", hint="`recto mcp` starts one")
    row = {"stopped": connection.greeting["pid"]}
    connection.reader.read()  # until it has let go of the connection
    connection.close()
    choices.answer(Answer(row, [row], ("stopped",), lambda width: [(Part(f"Stopped {row['stopped']}."),)], brief=True))


@daemon.command(hidden=True)
@click.option("--idle", type=float, required=True, help="Seconds without a client after which it ends.")
@click.option("--ready", type=int, metavar="FD", help="Where to say that clients can connect.")
@shared_options
@pass_choices
def run(choices: Choices, idle: float, ready: int | None) -> None:
    """Be the server. Clients start this themselves."""
    from recto.config.load import load
    from recto.interfaces.daemon.address import place
    from recto.interfaces.daemon.server import AlreadyRunning, serve
    from recto.observability.logs import configure

    configure("info" if choices.verbose else "warning")

    def say() -> None:
        if ready is not None:
            os.write(ready, b"1")
            os.close(ready)

    try:
        serve(place(load(choices.flags()).config), idle, say)
    except AlreadyRunning:
        say()


def _asked(choices: Choices, want: str) -> tuple[Any, Connection | None]:
    from recto import __version__
    from recto.config.load import load
    from recto.interfaces.daemon.address import available, place
    from recto.interfaces.daemon.client import Refused, Unreachable, connect
    from recto.interfaces.daemon.wire import Hello, settings_of

    if not available():
        raise NotFound("this system has no shared servers", hint="every client works in a process of its own")
    config = load(choices.flags()).config
    address = place(config)
    try:
        return address, connect(address, Hello(__version__, want, settings_of(config)))
    except (Unreachable, Refused):
        return address, None


def _lines(row: dict[str, Any]) -> Iterator[Line]:
    facts = [("server", f"process {row['pid']}, version {row['version']}" if row["running"] else "none runs")]
    facts += [("clients", str(row["clients"]))] if row["running"] else []
    facts += [("socket", row["socket"]), ("log", row["log"])]
    yield from columns([(Part(name, "dim"), Part(value)) for name, value in facts])
