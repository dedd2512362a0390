"""What a converting process gives up before it opens a file: memory, output, the network, starting programs.

A document is somebody else's data, and readers of old formats have holes. Limits hold on Linux in the kernel; elsewhere
as far as the system has them, and in Python's own calls.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import signal
import sys
from contextlib import suppress
from typing import Any

from octavo.dataclass import dataclass

if sys.platform != "win32":
    import resource


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one conversion: seconds on the clock, bytes of memory, bytes of answer. Programs are started only for OCR."""

    seconds: float = 120.0
    memory: int = 2_000_000_000
    output: int = 200_000_000
    programs: bool = False


_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 1, 38, 22
_FILTER_MODE = 2
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # BPF: load a word, jump if equal, jump if ≥, return
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_X32 = 0x40000000  # numbers of a second set of system calls, on x86-64 only

# machine → (its number for the kernel's filter, system calls that reach the network, and those that start programs)
_SYSTEM_CALLS = {
    "x86_64": (0xC000003E, (41, 42, 49, 425), (59, 322, 101)),
    "aarch64": (0xC00000B7, (198, 203, 200, 425), (221, 281, 117)),
}


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint))


class _Program(ctypes.Structure):
    _fields_ = (("size", ctypes.c_ushort), ("filter", ctypes.POINTER(_Instruction)))


def confine(limits: Limits) -> None:
    """Cannot be undone. Called first thing in the process that converts."""
    _limit_resources(limits)
    if sys.platform == "linux":
        _forbid_system_calls(limits)
    sys.addaudithook(_refuse_programs if not limits.programs else _refuse_network)


def _limit_resources(limits: Limits) -> None:
    if sys.platform == "win32":
        return
    # A write beyond the limit is an error to whoever writes, and not the end of the process.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    wanted = {
        "RLIMIT_AS": limits.memory,
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": 500_000_000 if limits.programs else 0,
        "RLIMIT_NOFILE": 256,
    }
    for name, most in wanted.items():
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


def _forbid_system_calls(limits: Limits) -> None:
    """A filter in the kernel, which native code obeys too; where there is none, Python's own calls are watched."""
    known = _SYSTEM_CALLS.get(platform.machine())
    with suppress(OSError, AttributeError):
        kernel = ctypes.CDLL(None, use_errno=True)
        # Whoever started this process may be killed while a conversion runs.
        kernel.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if known is None or kernel.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            return
        machine, network, programs = known
        forbidden = network if limits.programs else (*network, *programs)
        lines = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _REFUSE), (_LOAD, 0, 0, 0)]
        for at, number in enumerate(forbidden):
            lines.append((_EQUAL, len(forbidden) - at + 1, 0, number))
        lines += [(_AT_LEAST, 1, 0, _X32), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
        instructions = (_Instruction * len(lines))(*(_Instruction(*line) for line in lines))
        kernel.prctl(_PR_SET_SECCOMP, _FILTER_MODE, ctypes.byref(_Program(len(lines), instructions)), 0, 0)


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"):
        raise PermissionError(errno.EPERM, "a converter has no network")


def _refuse_programs(event: str, arguments: tuple[Any, ...]) -> None:
    _refuse_network(event, arguments)
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.startfile"):
        raise PermissionError(errno.EPERM, "a converter starts no programs")
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        raise PermissionError(errno.EPERM, "a converter writes no files")
