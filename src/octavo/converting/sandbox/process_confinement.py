"""What a converting process gives up before it opens a file: memory, output, other files, the network, programs.

A document is somebody else's data, and readers of old formats have holes. On Linux the kernel holds the process to it:
a list of system calls that it may make, a list of folders that it may read, no rights of root. Elsewhere limits hold as
far as the system has them, and in Python's own calls. What holds is reported, and `octavo doctor` says it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import Any

from octavo.converting.sandbox.landlock_and_seccomp import landlock_version, restrict_files, restrict_system_calls
from octavo.fast_dataclass import Value
from octavo.plugins import CONVERTERS, folders

if sys.platform != "win32":
    import resource


class Limits(Value):
    """Of one conversion: seconds on the clock, bytes of memory, bytes of answer. Programs are started only for OCR.

    `readable` are folders whose files readers need besides Python's and the system's own.
    """

    seconds: float = 120.0
    memory: int = 2_000_000_000
    output: int = 200_000_000
    programs: bool = False
    readable: tuple[str, ...] = ()


class Confinement(Value):
    """What holds a converting process on this machine: `landlock` is its version, 0 where there is none."""

    system_calls: bool = False
    landlock: int = 0
    resources: tuple[str, ...] = ()

    def __str__(self) -> str:
        holds = [
            *(["a filter of system calls"] if self.system_calls else []),
            *([f"Landlock {self.landlock}"] if self.landlock else []),
            *(["limits on " + ", ".join(self.resources)] if self.resources else []),
            "Python's own calls watched",
        ]
        lacks = [
            *([] if self.system_calls else ["system calls are not filtered"]),
            *([] if self.landlock else ["other files of this account are not closed to native code"]),
            *([] if "memory" in self.resources else ["memory is not limited"]),
        ]
        return "; ".join(filter(None, (", ".join(holds), ", ".join(lacks))))


_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITIES_VERSION = 0x20080522
_SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/nix/store", "/gnu/store", "/sys/devices/system/cpu")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types", "/dev/urandom")


def confine(limits: Limits) -> Confinement:
    """Cannot be undone. Called first thing in the process that converts."""
    resources = _limit_resources(limits)
    confinement = Confinement(resources=resources)
    if sys.platform == "linux":
        confinement = _confined_by_kernel(limits, resources)
    sys.addaudithook(_refuse_programs if not limits.programs else _refuse_network)
    return confinement


def close_memory() -> None:
    """Called in the process that starts converters. Where the kernel has no Landlock, its memory would be open to them,
    being of the same account; a process that cannot be dumped is closed to all but root, debuggers too."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            kernel = ctypes.CDLL(None, use_errno=True)
            if not landlock_version(kernel):
                kernel.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _confined_by_kernel(limits: Limits, resources: tuple[str, ...]) -> Confinement:
    try:
        kernel = ctypes.CDLL(None, use_errno=True)
        # Whoever started this process may be killed while a conversion runs.
        kernel.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        _drop_capabilities(kernel)
        kernel.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)  # no new privileges, which Landlock asks for
        writable = [os.environ["TMPDIR"]] if limits.programs else []
        landlock = restrict_files(kernel, _readable(limits), [*writable, os.devnull], programs=limits.programs)
        return Confinement(restrict_system_calls(kernel, programs=limits.programs), landlock, resources)
    except (OSError, AttributeError):
        return Confinement(resources=resources)


def _readable(limits: Limits) -> list[str]:
    """Where Python, Octavo and the libraries of the system lie. The folder a person works in is often on Python's path,
    and is not among them."""
    octavo = Path(__file__).parents[2]
    own = [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), str(octavo)]
    own += folders(CONVERTERS)
    own += [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    data = os.environ.get("TESSDATA_PREFIX")
    return [*own, *_SYSTEM_FOLDERS, *_SYSTEM_FILES, *limits.readable, *([data] if data and limits.programs else [])]


def _drop_capabilities(kernel: ctypes.CDLL) -> None:
    """Of root, in containers mostly: reading any file, and the memory of any process."""
    number = _CAPSET.get(os.uname().machine)
    if number is not None:
        header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
        kernel.syscall(number, ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))


def _limit_resources(limits: Limits) -> tuple[str, ...]:
    if sys.platform == "win32":
        return ()
    # A write beyond the limit is an error to whoever writes, and not the end of the process.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    values = {
        "memory": ("RLIMIT_AS", limits.memory),
        "dumps": ("RLIMIT_CORE", 0),
        "files": ("RLIMIT_FSIZE", 500_000_000 if limits.programs else 0),
        "open files": ("RLIMIT_NOFILE", 256),
        # It counts all processes of the account, so that with programs no number would be right.
        **({} if limits.programs else {"processes": ("RLIMIT_NPROC", 0)}),
    }
    applied = []
    for what, (name, most) in values.items():
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))
            applied.append(what)
    return tuple(applied)


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"):
        raise PermissionError(errno.EPERM, "a converter has no network")


def _refuse_programs(event: str, arguments: tuple[Any, ...]) -> None:
    _refuse_network(event, arguments)
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.startfile"):
        raise PermissionError(errno.EPERM, "a converter starts no programs")
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        raise PermissionError(errno.EPERM, "a converter writes no files")
