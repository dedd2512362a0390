"""`octavo mcp` as a thin shim: lines from the client go to the library's server, and the server's lines to the client.

A server that ends is started again, the client's introduction repeated to it, and whatever was being asked meanwhile
answered with an error, so that the client neither waits for ever nor has to start over.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from octavo.errors import OctavoError, StorageError
from octavo.interfaces.daemon.client import Connection, Unreachable, started
from octavo.interfaces.daemon.greeting_messages import MCP
from octavo.interfaces.daemon.socket_address import available
from octavo.observability.logs import logger

if TYPE_CHECKING:
    from octavo.config.config_file_reloading import ConfigFiles
    from octavo.config.schema import Config

_AGAIN_SECONDS = 0.1  # until what is being asked may be answered
_LAST_WORDS_SECONDS = 0.5  # for answers still on their way when the client closes its end
_ENDED = -32000
_AGAIN = "the server ended while it worked on this; ask again"


class Relay:
    """Between one client and whichever server there is."""

    def __init__(self, connect: Callable[[], Connection], first: Connection, write: Callable[[bytes], None]) -> None:
        self._connect = connect
        self._connection: Connection | None = first
        self._write = write
        self._guard = threading.RLock()  # the connection
        self._asked_guard = threading.Lock()
        self._asked: dict[str, Any] = {}
        self._introduction: bytes | None = None
        self._introduced: bytes | None = None
        self._ending = threading.Event()
        self._drained = threading.Event()

    def run(self) -> None:
        """Until the client closes its end."""
        threading.Thread(target=self._answers, name="octavo-relay", daemon=True).start()
        for line in iter(sys.stdin.buffer.readline, b""):
            self._forward(line)
        self._ending.set()
        with self._guard:
            if self._connection is not None:
                with suppress(OSError):
                    self._connection.sock.shutdown(socket.SHUT_WR)
        self._drained.wait(_LAST_WORDS_SECONDS)

    def connect_again(self) -> None:
        """Greets the server anew, as the client's configuration now has it; what is being asked is answered first."""
        while not self._ending.is_set():
            with self._guard:
                with self._asked_guard:
                    busy = bool(self._asked)
                if not busy:
                    # In one go: what the client asks from here on waits for the new connection.
                    before, self._connection = self._connection, None
                    if before is not None:
                        with suppress(OSError):
                            before.sock.shutdown(socket.SHUT_RDWR)
                        self._reconnect()
                    return
            self._ending.wait(_AGAIN_SECONDS)

    def _forward(self, line: bytes) -> None:
        self._note(line)
        with self._guard:
            if self._connection is None and not self._reconnect():
                self._fail_all()
                return
            connection = self._connection
        assert connection is not None
        # A server that ended in this moment is noticed by the other thread, which answers for it.
        with suppress(OSError):
            connection.sock.sendall(line)

    def _note(self, line: bytes) -> None:
        message = _message(line)
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            self._introduction = line
        elif method == "notifications/initialized":
            self._introduced = line
        if method is not None and number is not None:
            with self._asked_guard:
                self._asked[json.dumps(number)] = number

    def _answers(self) -> None:
        """The other direction, for as long as there is one."""
        connection = self._connection
        while connection is not None:
            with suppress(OSError, ValueError):
                for line in iter(connection.reader.readline, b""):
                    if line.endswith(b"\n"):
                        self._answered(line)
            if self._ending.is_set():
                break
            with self._guard:
                connection.close()
                if self._connection is not connection:
                    return  # another one took its place, with a thread of its own
                self._connection = None
                self._fail_all()
                self._reconnect()
                connection = self._connection
            if connection is None:
                # The next thing the client asks tries again.
                return
        self._drained.set()

    def _answered(self, line: bytes) -> None:
        message = _message(line)
        if "id" in message and "method" not in message:
            with self._asked_guard:
                self._asked.pop(json.dumps(message["id"]), None)
        self._write(line)

    def _fail_all(self) -> None:
        with self._asked_guard:
            pending, self._asked = self._asked, {}
        for number in pending.values():
            body = {"jsonrpc": "2.0", "id": number, "error": {"code": _ENDED, "message": _AGAIN}}
            self._write(json.dumps(body).encode() + b"\n")

    def _reconnect(self) -> bool:
        fresh = None
        try:
            fresh = self._connect()
            self._introduce(fresh)
        except (Unreachable, OctavoError, OSError, ValueError):
            if fresh is not None:
                fresh.close()
            return False
        listening = self._connection is not None or threading.current_thread().name == "octavo-relay"
        self._connection = fresh
        if not listening:
            threading.Thread(target=self._answers, name="octavo-relay", daemon=True).start()
        return True

    def _introduce(self, connection: Connection) -> None:
        """Says to a new server what the client said to the one before; its answer is not the client's to see again."""
        if self._introduction is None:
            return
        number = _message(self._introduction).get("id")
        connection.sock.settimeout(30.0)
        connection.sock.sendall(self._introduction)
        while True:
            line = connection.reader.readline()
            if not line:
                raise Unreachable("the server ended")
            message = _message(line)
            if message.get("id") == number and "method" not in message:
                break
            self._write(line)
        if self._introduced is not None:
            connection.sock.sendall(self._introduced)
        connection.sock.settimeout(None)


def _message(line: bytes) -> Mapping[str, Any]:
    """What a line says, as far as it must be known here; what is no message is the server's to refuse."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def writer(wire: int) -> Callable[[bytes], None]:
    """Whole lines to the client, from whichever thread."""
    guard = threading.Lock()

    def write(line: bytes) -> None:
        with guard:
            left = memoryview(line)
            try:
                while left:
                    left = left[os.write(wire, left) :]
            except BrokenPipeError:
                os._exit(0)  # the client went without closing its end first

    return write


def relayed(config: Config, files: ConfigFiles, tools: str, wire: int) -> None:
    """Relays until the client closes its end, then ends the process. Returns when there is no server to relay to."""
    now = [config]

    def connect() -> Connection:
        return started(now[0], MCP, tools)

    try:
        first = connect()
    except (Unreachable, StorageError, OSError) as error:
        if available():
            logger("mcp").warning("working without a shared server: %s", error)
        return
    code = 0
    relay = Relay(connect, first, writer(wire))

    def use(changed: Config) -> None:
        now[0] = changed
        relay.connect_again()

    files.follow(use, threading.Event())
    try:
        relay.run()
    except KeyboardInterrupt:
        code = 130
    os._exit(code)
