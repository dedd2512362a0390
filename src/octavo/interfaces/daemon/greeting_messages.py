"""Handshake of daemon and client, a line of JSON from each, and configuration and errors as JSON.

After `mcp` the connection speaks MCP, a message a line. After `calls` each line is a call, and each answer a line.
An answer that is told aloud has a line for each sentence before its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from octavo import errors
from octavo.fast_dataclass import Value
from octavo.model.library_location import DatabaseUrl

if TYPE_CHECKING:
    from octavo.config.schema import Config

WANTS = MCP, CALLS, ABOUT, STOP = "mcp", "calls", "about", "stop"
ASK_ALOUD = "ask_aloud"
"""The call whose answer is preceded by a line for each of its sentences."""

LONGEST_LINE = 64 << 20


class Hello(Value):
    """`settings` are the client's whole configuration: it is the client's that counts, not that of whoever started the
    server."""

    version: str
    want: str
    settings: Mapping[str, Any]
    tools: str = "default"
    profiles: tuple[str, ...] = ()
    """Folders of the client's own retrieval profiles."""

    def line(self) -> bytes:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return json.dumps(values, default=str).encode() + b"\n"


def hello(line: bytes) -> Hello:
    """Raises ValueError for anything else."""
    values = json.loads(line)
    if not isinstance(values, dict) or not isinstance(values.get("settings"), dict):
        raise ValueError("not a greeting")
    return Hello(
        version=str(values.get("version")),
        want=str(values.get("want")),
        settings=values["settings"],
        tools=str(values.get("tools", "default")),
        profiles=tuple(str(folder) for folder in values.get("profiles") or ()),
    )


def settings_of(tree: Config) -> dict[str, Any]:
    """The configuration as nested plain data."""
    return {field.name: _plain(getattr(tree, field.name)) for field in fields(tree)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    # A database's URL shows itself without its password, which the server needs.
    return value.secret if isinstance(value, DatabaseUrl) else str(value)


def error_json(error: errors.OctavoError) -> dict[str, Any]:
    return {"kind": type(error).__name__, "message": error.message, "hint": error.hint, "details": error.details}


def error_from(problem: Mapping[str, Any]) -> errors.OctavoError:
    """The same error, of the same kind: it ends the command with the same words and the same code."""
    kind = getattr(errors, str(problem.get("kind")), errors.OctavoError)
    if not (isinstance(kind, type) and issubclass(kind, errors.OctavoError)):
        kind = errors.OctavoError
    return kind(str(problem.get("message")), hint=problem.get("hint"), details=problem.get("details") or {})
