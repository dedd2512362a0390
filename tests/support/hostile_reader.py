"""Readers that do what a hostile document might make a reader do, for tests of the process they run in."""

from __future__ import annotations

import ctypes
import os
import socket
import threading
from pathlib import Path

from octavo.converting.child import Settings
from octavo.converting.text_builder import TextBuilder
from octavo.model.converted import Converted


def read(name: str, data: bytes, settings: Settings) -> Converted:
    """Does what the file asks for, and says how that went."""
    wish, _, detail = data.decode().partition(" ")
    builder = TextBuilder()
    builder.paragraph(_WISHES[wish](detail))
    return builder.converted("hostile-1")


def _crash(detail: str) -> str:
    ctypes.string_at(1)
    return "survived"


def _leave(detail: str) -> str:
    os._exit(int(detail))


def _hang(detail: str) -> str:
    while True:
        threading.Event().wait(3600)


def _swell(detail: str) -> str:
    return "x" * int(detail)


def _panic(detail: str) -> str:
    class PanicException(BaseException):
        """As readers in Rust raise it."""

    raise PanicException("index out of bounds")


def _connect(detail: str) -> str:
    try:
        socket.create_connection(("127.0.0.1", int(detail)), timeout=5).close()
    except OSError as error:
        return f"refused: {type(error).__name__}"
    return "connected"


def _write(detail: str) -> str:
    try:
        Path(detail).write_text("written")
    except OSError as error:
        return f"refused: {type(error).__name__}"
    return "written"


def _start(detail: str) -> str:
    try:
        return f"started: {os.spawnlp(os.P_WAIT, 'true', 'true')}"
    except OSError as error:
        return f"refused: {type(error).__name__}"


def _print(detail: str) -> str:
    os.write(1, b"not an answer")
    os.write(2, b"noise")
    return "printed"


def _environment(detail: str) -> str:
    return os.environ.get(detail, "unset")


_WISHES = {
    "crash": _crash,
    "leave": _leave,
    "hang": _hang,
    "swell": _swell,
    "panic": _panic,
    "connect": _connect,
    "write": _write,
    "start": _start,
    "print": _print,
    "environment": _environment,
}
