"""Ways to reach a library's server as its clients do, and to see that it is gone."""

from __future__ import annotations

import fcntl
import json
import os
import select
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mcp_calls import HANDSHAKE, message, raw, uris

from octavo.config.layered_config_loading import load
from octavo.interfaces.daemon.client import place
from octavo.interfaces.daemon.socket_address import Address

PATIENCE = 90.0


def address() -> Address:
    return place(load().config)


class Client:
    """An MCP client over the pipes of `octavo mcp`, one message at a time."""

    def __init__(self, *arguments: str, environ: Mapping[str, str] | None = None) -> None:
        self.process = raw(list(arguments), environ)
        self._held = b""
        self._number = 1
        self.say(HANDSHAKE)
        assert "result" in self.answer(1)

    def say(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def begin(self, tool: str, **arguments: Any) -> int:
        self._number += 1
        self.say(message(self._number, "tools/call", {"name": tool, "arguments": arguments}))
        return self._number

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.answer(self.begin(tool, **arguments))

    def found(self, query: str) -> list[str]:
        answer = self.call("search", query=query)
        assert "result" in answer and not answer["result"].get("isError"), answer
        return uris(answer["result"]["content"][0]["text"])

    def answer(self, number: int) -> dict[str, Any]:
        """The answer to a message, whatever else is said before it."""
        while True:
            said: dict[str, Any] = json.loads(self.line())
            if said.get("id") == number and "method" not in said:
                return said

    def line(self) -> bytes:
        assert self.process.stdout is not None
        while b"\n" not in self._held:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            assert ready, "the client was left waiting"
            read = os.read(self.process.stdout.fileno(), 1 << 20)
            assert read, "the client's server ended"
            self._held += read
        line, _, self._held = self._held.partition(b"\n")
        return line

    def await_taken(self) -> None:
        """Until the relay has read all that was said to it."""
        assert self.process.stdin is not None
        until = time.monotonic() + PATIENCE
        while int.from_bytes(fcntl.ioctl(self.process.stdin, termios.FIONREAD, bytes(4)), sys.byteorder):
            assert time.monotonic() < until, "the relay does not read"

    def close(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()
        return code

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def client(*arguments: str, environ: Mapping[str, str] | None = None) -> Iterator[Client]:
    made = Client(*arguments, environ=environ)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.close()


def server() -> int | None:
    """The process that serves the library now."""
    from octavo.interfaces.daemon.client import Unreachable, VersionRefused, connect
    from octavo.interfaces.daemon.greeting_messages import ABOUT, Hello
    from octavo.version import __version__

    try:
        connection = connect(address(), Hello(__version__, ABOUT, {}), patience=PATIENCE)
    except (Unreachable, VersionRefused):
        return None
    connection.close()
    return int(connection.greeting["pid"])


def await_end(at: Address) -> None:
    """Until whoever served here has let go of the address."""
    with at.alive.open("w") as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)


def stop(at: Address) -> None:
    from octavo.interfaces.daemon.client import Unreachable, connect
    from octavo.interfaces.daemon.greeting_messages import STOP, Hello
    from octavo.version import __version__

    try:
        connection = connect(at, Hello(__version__, STOP, {}))
    except (Unreachable, OSError):
        return
    connection.reader.read()
    connection.close()
    await_end(at)
