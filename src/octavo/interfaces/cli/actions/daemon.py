"""The server that the clients of a library share: asked, or ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from octavo.config.load import load
from octavo.errors import NotFound
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.daemon.address import Address, available, place
from octavo.interfaces.daemon.client import Connection, Unreachable, VersionRefused, connect
from octavo.interfaces.daemon.wire import Hello, settings_of
from octavo.interfaces.presenting.formats import Answer
from octavo.operations.lines import Line, Part, columns
from octavo.version import __version__

_COLUMNS = ("running", "pid", "version", "clients", "socket", "log")


def status(choices: Choices) -> None:
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


def stop(choices: Choices) -> None:
    _, connection = _connected(choices, "stop")
    if connection is None:
        raise NotFound("no server runs for this library", hint="`octavo mcp` starts one")
    row = {"stopped": connection.greeting["pid"]}
    connection.reader.read()  # until it has let go of the connection
    connection.close()
    choices.answer(Answer(row, [row], ("stopped",), lambda width: [(Part(f"Stopped {row['stopped']}."),)], brief=True))


def _connected(choices: Choices, want: str) -> tuple[Address, Connection | None]:
    if not available():
        raise NotFound("this system has no shared servers", hint="every client works in a process of its own")
    config = load(choices.flags()).config
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
