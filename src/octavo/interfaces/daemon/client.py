"""How a client finds the library's server, starts it, and asks. Light: no library, no model, no SDK is imported here.

Nothing here waits for ever: whoever gets no answer in time works alone.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

from octavo.errors import OctavoError
from octavo.interfaces.daemon.greeting_messages import CALLS, LONGEST_LINE, Hello, error_from, settings_of
from octavo.interfaces.daemon.socket_address import Address, available, is_private, listening, place, private_folder
from octavo.version import __version__

if TYPE_CHECKING:
    from octavo.config.schema import Config

CONNECT_SECONDS = 2.0
GREETING_SECONDS = 5.0
ASIDE_SECONDS = 1.5  # for a command that can as well do it alone
FIRST_SECONDS = 10.0  # for a server that has only just begun to listen
START_SECONDS = 30.0  # a cold disk, a busy machine; a server that fails says so at once


class Unreachable(Exception):
    """There is no server, or none that answers: the caller works alone."""


class VersionRefused(Exception):
    """The server answers, but is of another version, and makes way for a new one."""


class Connection:
    """An open conversation. Reading and writing may be done by two threads."""

    def __init__(self, sock: socket.socket, greeting: Mapping[str, Any]) -> None:
        self.sock = sock
        self.greeting = greeting
        self.reader: IO[bytes] = sock.makefile("rb")

    def close(self) -> None:
        with suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            self.reader.close()
        self.sock.close()

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        timeout: float,
        tell: Callable[[Any], None] = lambda sentence: None,
    ) -> Any:
        """One call and its answer. Errors on purpose are raised as what they are; `tell` gets sentences before it."""
        self.sock.settimeout(timeout)
        reply = self._exchanged(json.dumps({"call": name, "arguments": arguments}).encode() + b"\n")
        while "sentence" in reply:
            tell(reply["sentence"])
            reply = self._exchanged(b"")
        if "error" in reply:
            raise error_from(reply["error"])
        return reply["answer"]

    def _exchanged(self, message: bytes) -> dict[str, Any]:
        """Says something, or nothing, and reads the next line."""
        try:
            self.sock.sendall(message)
            line = self.reader.readline(LONGEST_LINE)
            reply = json.loads(line) if line.endswith(b"\n") else None
        except (OSError, ValueError) as error:
            raise Unreachable(str(error)) from error
        if not isinstance(reply, dict):
            raise Unreachable("the server ended")
        return reply


def running(config: Config) -> Connection | None:
    """A conversation of calls with the library's server, if there is one that takes it; nothing is started."""
    if not listening(config):
        return None
    try:
        return connect(place(config), greeting(config, CALLS), patience=ASIDE_SECONDS)
    except (Unreachable, VersionRefused, OctavoError):  # whoever works alone meets what is wrong as well
        return None


def started(config: Config, want: str, tools: str = "default") -> Connection:
    """A conversation with the library's server, started if it must be. Raises what the server refuses on purpose."""
    if not available():
        raise Unreachable("this system has no shared servers")
    address = place(config)
    hello = greeting(config, want, tools)
    with suppress(Unreachable, VersionRefused):
        return connect(address, hello)
    private_folder(address.folder)
    deadline = time.monotonic() + START_SECONDS
    with _starting(address, deadline):
        with suppress(Unreachable, VersionRefused):
            return connect(address, hello, patience=ASIDE_SECONDS)  # another client has started it meanwhile
        _spawn(address, config, deadline)
        try:
            return connect(address, hello, patience=FIRST_SECONDS)
        except VersionRefused as error:
            raise Unreachable("a server of another version came in between") from error


def connect(address: Address, hello: Hello, *, patience: float = GREETING_SECONDS) -> Connection:
    """Greets the server. A stale socket, a server that was killed and one that hangs are all unreachable."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if not is_private(address.folder.lstat()):
            raise Unreachable("the folder of its socket is open to others")
        sock.settimeout(CONNECT_SECONDS)
        sock.connect(str(address.socket))
        sock.settimeout(max(0.1, patience))
        sock.sendall(hello.line())
        answer = _line(sock)
    except Unreachable:
        sock.close()
        raise
    except (OSError, ValueError) as error:
        sock.close()
        raise Unreachable(str(error)) from error
    if not answer.get("ok"):
        sock.close()
        if answer.get("retiring"):
            raise VersionRefused(str(answer.get("version")))
        raise error_from(answer.get("error") or {"message": "the server refused"})
    sock.settimeout(None)
    return Connection(sock, answer)


def _line(sock: socket.socket) -> dict[str, Any]:
    """The server's greeting, a byte at a time: what follows it belongs to the conversation."""
    line = bytearray()
    while not line.endswith(b"\n"):
        byte = sock.recv(1)
        if not byte or len(line) > 1 << 20:
            raise ValueError("the server ended before it greeted")
        line += byte
    answer = json.loads(line)
    if not isinstance(answer, dict):
        raise ValueError("not a greeting")
    return answer


def greeting(config: Config, want: str, tools: str = "default") -> Hello:
    """What a client with this configuration says first."""
    from octavo.config.layered_config_loading import profile_folders

    return Hello(__version__, want, settings_of(config), tools, tuple(str(folder) for folder in profile_folders()))


@contextmanager
def _starting(address: Address, deadline: float) -> Iterator[None]:
    """One client starts the server; the others wait for it. The lock ends with whoever holds it."""
    import fcntl

    with address.starting.open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if time.monotonic() > deadline:
                    raise Unreachable("another client has been starting it for too long") from error
                time.sleep(0.02)
        yield


def _spawn(address: Address, config: Config, deadline: float) -> None:
    """Starts the server in a session of its own, so that it outlives this client, and waits until it listens."""
    from octavo.config.layered_config_loading import library_location

    library = library_location(config)
    command = [sys.executable, "-m", "octavo", "daemon", "run", "--idle", str(config.daemon.idle_seconds)]
    environ = {**os.environ, "OCTAVO_LIBRARY": getattr(library, "secret", None) or os.path.realpath(str(library))}
    reading, writing = os.pipe()
    try:
        with address.log.open("wb") as log:
            process = subprocess.Popen(
                [*command, "--ready", str(writing)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environ,
                cwd="/",
                start_new_session=True,
                pass_fds=(writing,),
            )
        os.close(writing)
        writing = -1
        _await(reading, deadline)
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)
    # It is not this client's to wait for. But should it end first, it must be buried, or it would be taken for alive.
    process.returncode = 0
    threading.Thread(target=_bury, args=(process.pid,), name="octavo-server", daemon=True).start()


def _bury(pid: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _await(reading: int, deadline: float) -> None:
    import select

    ready, _, _ = select.select([reading], [], [], max(0.1, deadline - time.monotonic()))
    if not ready or os.read(reading, 1) != b"1":
        raise Unreachable("the server did not start")
