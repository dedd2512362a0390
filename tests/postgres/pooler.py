"""A pooler in transaction mode: every transaction of a client goes to another of several connections to the server.

What pgbouncer does with `pool_mode = transaction`, and nothing else: nothing is reset in between, so whatever a client
leaves on a connection is found there by its next transactions, or is missing.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit, urlunsplit

_SSL, _GSS, _CANCEL = 80877103, 80877104, 80877102
_BACKENDS = 3


class Pooler:
    def __init__(self, server: tuple[str, int]) -> None:
        self._server = server
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self.transactions = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        backends: list[socket.socket] = []
        try:
            startup = _startup(client)
            backends = [socket.create_connection(self._server) for _ in range(_BACKENDS)]
            for one in (client, *backends):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            password = b""
            for number, backend in enumerate(backends):
                backend.sendall(startup)
                password = _welcome(client, backend, password, quiet=number > 0)
            self._relay(client, backends)
        except (OSError, EOFError):
            pass
        finally:
            for one in (client, *backends):
                one.close()

    def _relay(self, client: socket.socket, backends: list[socket.socket]) -> None:
        turn = 0
        while True:
            kind, whole = _message(client)
            if kind == b"X":
                return
            backends[turn].sendall(whole)
            if kind not in (b"Q", b"S"):
                continue
            while True:
                kind, whole = _message(backends[turn])
                client.sendall(whole)
                if kind == b"Z":
                    break
            if whole[-1:] == b"I":  # in no transaction any more
                turn = (turn + 1) % len(backends)
                self.transactions += 1


def _startup(client: socket.socket) -> bytes:
    while True:
        length = struct.unpack("!I", _exactly(client, 4))[0]
        body = _exactly(client, length - 4)
        code = struct.unpack("!I", body[:4])[0]
        if code in (_SSL, _GSS):
            client.sendall(b"N")
        elif code == _CANCEL:
            raise EOFError
        else:
            return struct.pack("!I", length) + body


def _welcome(client: socket.socket, backend: socket.socket, password: bytes, *, quiet: bool) -> bytes:
    """Passes on what the server says until it is ready. A password is asked for once and given to every connection."""
    while True:
        kind, whole = _message(backend)
        asks = kind == b"R" and struct.unpack("!I", whole[5:9])[0] == 3
        if not quiet:
            client.sendall(whole)
        if asks:
            if not password:
                password = _message(client)[1]
            backend.sendall(password)
        if kind == b"E":
            raise EOFError
        if kind == b"Z":
            return password


def _message(sender: socket.socket) -> tuple[bytes, bytes]:
    head = _exactly(sender, 5)
    return head[:1], head + _exactly(sender, struct.unpack("!I", head[1:])[0] - 4)


def _exactly(sender: socket.socket, count: int) -> bytes:
    held = b""
    while len(held) < count:
        more = sender.recv(count - len(held))
        if not more:
            raise EOFError
        held += more
    return held


@contextmanager
def pooled(url: str) -> Iterator[tuple[str, Pooler]]:
    """The same database through a pooler."""
    parts = urlsplit(url)
    pooler = Pooler((parts.hostname or "127.0.0.1", parts.port or 5432))
    through = parts.netloc.rpartition("@")[0] + f"@127.0.0.1:{pooler.port}"
    try:
        yield urlunsplit((parts.scheme, through, parts.path, parts.query, "")), pooler
    finally:
        pooler.close()
