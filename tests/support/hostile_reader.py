"""Readers that do what a hostile document might make a reader do, for tests of the process they run in."""

from __future__ import annotations

import ctypes
import os
import socket
import threading
from pathlib import Path

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.text_builder import TextBuilder
from octavo.model.converted_file import Converted


def read(name: str, data: bytes, settings: ConversionSettings) -> Converted:
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


def _raw(detail: str) -> str:
    """A system call as native code makes it, which no hook of Python's sees: its name, then a path or a process."""
    call, _, given = detail.partition(" ")
    libc = ctypes.CDLL(None, use_errno=True)
    # Arguments of calls that the C library has no function for are built by hand.
    buffer = ctypes.create_string_buffer(64)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
    path = given.encode()
    calls = {
        "open": lambda: libc.open(path, os.O_RDONLY),
        "create": lambda: libc.open(path + b".new", os.O_WRONLY | os.O_CREAT, 0o600),
        "unlink": lambda: libc.unlink(path),
        "rename": lambda: libc.rename(path, path + b".moved"),
        "truncate": lambda: libc.truncate(path, ctypes.c_long(0)),
        "chmod": lambda: libc.chmod(path, 0o777),
        "link": lambda: libc.link(path, path + b".link"),
        "fork": lambda: libc.fork(),
        "vfork": lambda: libc.syscall(58 if os.uname().machine == "x86_64" else 220, 0, 0, 0, 0, 0),
        "setsid": lambda: libc.setsid(),
        "socket": lambda: libc.socket(1, 1, 0),
        "kill": lambda: libc.kill(int(given), 0),
        "ptrace": lambda: libc.ptrace(16, int(given), None, None),
        "vm_write": lambda: libc.process_vm_writev(int(given), vector, 1, vector, 1, 0),
        "vm_read": lambda: libc.process_vm_readv(int(given), vector, 1, vector, 1, 0),
        "memory": lambda: libc.open(f"/proc/{given}/mem".encode(), os.O_RDONLY),
        "memory_written": lambda: libc.open(f"/proc/{given}/mem".encode(), os.O_RDWR),
        "environment": lambda: libc.open(f"/proc/{given}/environ".encode(), os.O_RDONLY),
        "limits": lambda: libc.prlimit(int(given), 7, None, buffer),
    }
    done = calls[call]()
    if done == 0 and call in ("fork", "vfork"):
        os._exit(0)  # the process that should not be
    return os.strerror(ctypes.get_errno()) if done < 0 else "done"


_WISHES = {
    "raw": _raw,
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
