"""`octavo daemon`: look at the server that the clients of a library share, or end it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from octavo.errors import NotFound
from octavo.interfaces.cli.command_group_with_suggestions import CommandGroup
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.global_options import Choices, shared_options
from octavo.interfaces.daemon.greeting_messages import Hello, settings_of
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.observability.logs import configure
from octavo.operations.styled_answer_lines import Line, Part, columns
from octavo.version import __version__

if TYPE_CHECKING:
    from octavo.interfaces.daemon.client import Connection
    from octavo.interfaces.daemon.socket_address import Address

_COLUMNS = ("running", "pid", "version", "clients", "socket", "log")


@click.group(cls=CommandGroup)
@shared_options
def daemon() -> None:
    """Look at the server that the clients of a library share, or end it.

    `octavo mcp` starts it when it is needed, and it ends by itself some time after its last client.
    """


@daemon.add
@command(examples=["octavo daemon status"])
def status(choices: Choices) -> None:
    """Say whether a server runs for this library, and where its socket and its log are."""
    address, connection = _connected(choices, "about")
    row: dict[str, Any] = {"running": False, "pid": None, "version": None, "clients": 0}
    if connection is not None:
        greeting = connection.greeting
        # This question is a client too, and leaves.
        row = {
            "running": True,
            "pid": greeting["pid"],
            "version": greeting["version"],
            "clients": max(0, int(greeting["clients"]) - 1),
        }
        connection.close()
    row |= {"socket": str(address.socket), "log": str(address.log)}
    choices.answer(Answer(row, [row], _COLUMNS, lambda width: _lines(row), files=[row["socket"]]))


@daemon.add
@command(examples=["octavo daemon stop"])
def stop(choices: Choices) -> None:
    """End the server now. Its clients start another one when they need it."""
    _, connection = _connected(choices, "stop")
    if connection is None:
        none: dict[str, object] = {"stopped": None}
        text = (Part("No server runs for this library."),)
        choices.answer(Answer(none, [none], ("stopped",), lambda width: [text], brief=True))
        return
    row = {"stopped": connection.greeting["pid"]}
    connection.reader.read()  # until it has let go of the connection
    connection.close()
    choices.answer(Answer(row, [row], ("stopped",), lambda width: [(Part(f"Stopped {row['stopped']}."),)], brief=True))


@daemon.add
@command(examples=["octavo daemon run --idle 900"], hidden=True)
@click.option("--idle", type=float, required=True, help="Seconds without a client after which it ends.")
@click.option("--ready", type=int, metavar="FD", help="Where to say that clients can connect.")
def run(choices: Choices, idle: float, ready: int | None) -> None:
    """Be the server. Clients start this themselves."""
    from octavo.interfaces.daemon.server import AlreadyRunning, serve
    from octavo.interfaces.daemon.socket_address import place

    config = choices.config()
    configure("info" if choices.verbose else config.log_level, format=config.log_format)

    def report_ready() -> None:
        if ready is not None:
            os.write(ready, b"1")
            os.close(ready)

    try:
        serve(place(config), idle, report_ready)
    except AlreadyRunning:
        report_ready()


def _connected(choices: Choices, want: str) -> tuple[Address, Connection | None]:
    from octavo.interfaces.daemon.client import Unreachable, VersionRefused, connect
    from octavo.interfaces.daemon.socket_address import available, place

    if not available():
        raise NotFound("this system has no shared servers", hint="every client works in a process of its own")
    config = choices.config()
    address = place(config)
    try:
        return address, connect(address, Hello(__version__, want, settings_of(config)))
    except (Unreachable, VersionRefused):
        return address, None


def _lines(row: dict[str, Any]) -> Iterator[Line]:
    facts = [("server", f"process {row['pid']}, version {row['version']}" if row["running"] else "none runs")]
    facts += [("clients", str(row["clients"]))] if row["running"] else []
    facts += [("socket", row["socket"]), ("log", row["log"])]
    yield from columns([(Part(name, "dim"), Part(value)) for name, value in facts])
