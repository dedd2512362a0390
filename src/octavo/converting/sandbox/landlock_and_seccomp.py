"""What Linux denies a process: files that are not listed, by Landlock (5.13 and later); system calls, by seccomp.

Numbers are those of the kernel's tables for x86-64 and for aarch64; None stands for a call that one lacks.
Some calls are allowed for some arguments: files are opened for reading, a thread is started and no process, signals and
limits are the process's own.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # system calls, the same number on every machine
_VERSION, _PATH_BENEATH, _O_PATH = 1, 1, 0o10000000
_EXECUTE, _WRITE, _READ, _LIST, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE
# Version of Landlock → how many kinds of access to files it knows; the rest of a list holds for later ones too.
_FILE_RIGHTS = (0, 13, 14, 15, 15, 16)
_TCP, _SIGNALS_AND_ABSTRACT_SOCKETS = 3, 3  # from versions 4 and 6


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def landlock_version(kernel: ctypes.CDLL) -> int:
    """0 where the kernel has none, or a container forbids to ask."""
    return max(0, int(kernel.syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)))


def restrict_files(kernel: ctypes.CDLL, readable: Sequence[str], writable: Sequence[str], *, programs: bool) -> int:
    """The version of Landlock that holds now, 0 for none. Programs are executed only where they may be started.

    It also closes the memory of every process outside, the one that started this one among them.
    """
    version = landlock_version(kernel)
    if not version:
        return 0
    handled = (1 << _FILE_RIGHTS[min(version, len(_FILE_RIGHTS) - 1)]) - 1
    given = _Ruleset(handled, _TCP if version >= 4 else 0, _SIGNALS_AND_ABSTRACT_SOCKETS if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = int(kernel.syscall(_CREATE, ctypes.byref(given), ctypes.c_size_t(size), 0))
    if rules < 0:
        return 0
    try:
        reading = _READ | _LIST | (_EXECUTE if programs else 0)
        for path in readable:
            _allow(kernel, rules, path, reading & handled)
        for path in writable:
            _allow(kernel, rules, path, handled)
        return version if not kernel.syscall(_RESTRICT, rules, 0) else 0
    finally:
        os.close(rules)


def _allow(kernel: ctypes.CDLL, rules: int, path: str, access: int) -> None:
    with suppress(OSError):  # a folder of another distribution
        parent = os.open(path, _O_PATH | os.O_CLOEXEC)
        try:
            beneath = _Beneath(access if Path(path).is_dir() else access & _OF_FILES, parent)
            kernel.syscall(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(beneath), 0)
        finally:
            os.close(parent)


_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER_MODE = 38, 22, 2
_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06  # instructions of BPF
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16  # where a filter finds them; of an argument, its lower half
_ALLOW, _REFUSE, _UNKNOWN = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_X32 = 0x40000000  # numbers of a second set of system calls, on x86-64 only

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# name → its numbers on x86-64 and aarch64; None where there is no such call
_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63), "write": (1, 64), "futex": (202, 98), "mmap": (9, 222), "munmap": (11, 215),
    "brk": (12, 214), "madvise": (28, 233), "lseek": (8, 62), "fstat": (5, 80), "newfstatat": (262, 79),
    "close": (3, 57), "pread64": (17, 67), "mprotect": (10, 226), "mremap": (25, 216), "stat": (4, None),
    "lstat": (6, None), "statx": (332, 291), "readv": (19, 65), "writev": (20, 66), "getdents64": (217, 61),
    "readlink": (89, None), "readlinkat": (267, 78), "access": (21, None), "faccessat": (269, 48),
    "faccessat2": (439, 439), "getcwd": (79, 17), "statfs": (137, 43), "fstatfs": (138, 44),
    "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72), "pipe": (22, None),
    "pipe2": (293, 59), "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24), "close_range": (436, 436),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139), "sigaltstack": (131, 132),
    "sched_yield": (24, 124), "sched_getaffinity": (204, 123), "getcpu": (309, 168), "membarrier": (324, 283),
    "rseq": (334, 293), "set_robust_list": (273, 99), "set_tid_address": (218, 96), "arch_prctl": (158, None),
    "restart_syscall": (219, 128), "nanosleep": (35, 101), "clock_nanosleep": (230, 115),
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "gettimeofday": (96, 169), "time": (201, None),
    "times": (100, 153), "getpid": (39, 172), "getppid": (110, 173), "gettid": (186, 178), "getuid": (102, 174),
    "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "uname": (63, 160), "sysinfo": (99, 179),
    "getrlimit": (97, 163), "getrusage": (98, 165), "getrandom": (318, 278), "exit": (60, 93),
    "exit_group": (231, 94),
}  # fmt: skip

# With arguments: (name's numbers, which argument, mask, the values it may have after the mask)
_OPENS_FOR_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CLONE_THREAD = 0x10000
_EVERY_BIT = 0xFFFFFFFF
_Rule = tuple[tuple[int | None, int | None], int, int, tuple[int, ...]]


def _with_arguments() -> list[_Rule]:
    terminal = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)  # what is there and how large, whether programs inherit it
    flags = (0, 1, 2, 3, 1030)  # fcntl: copies, and whether programs inherit them; flags are read and not set
    return [
        ((2, None), 1, _OPENS_FOR_WRITING, (0,)),  # open
        ((257, 56), 2, _OPENS_FOR_WRITING, (0,)),  # openat
        ((56, 220), 0, _CLONE_THREAD, (_CLONE_THREAD,)),  # clone
        ((72, 25), 1, _EVERY_BIT, flags),  # fcntl
        ((16, 29), 1, _EVERY_BIT, terminal),  # ioctl
        ((157, 167), 0, _EVERY_BIT, (15, 16)),  # prctl: names of threads
        ((302, 261), 0, _EVERY_BIT, (0,)),  # prlimit64
        ((234, 131), 0, _EVERY_BIT, (os.getpid(),)),  # tgkill: `abort`
    ]


# Their arguments are in memory, where a filter cannot look: after ENOSYS, programs use the older call.
_ANSWERED_UNKNOWN = ((435, 435), (437, 437))  # clone3, openat2

# With `programs`, which need more calls than a list can name, only these are refused: sockets, the memory of other
# processes, and leaving the group that is killed at the deadline.
_REFUSED = (
    (41, 198), (42, 203), (49, 200), (53, 199), (425, 425), (101, 117), (310, 270), (311, 271), (438, 438),
    (298, 241), (321, 280), (323, 282), (112, 157), (109, 154),
)  # fmt: skip


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint))


class _Program(ctypes.Structure):
    _fields_ = (("size", ctypes.c_ushort), ("filter", ctypes.POINTER(_Instruction)))


def restrict_system_calls(kernel: ctypes.CDLL, *, programs: bool) -> bool:
    """Whether the kernel took the filter. It holds for native code, and for every process that is started later."""
    machine = platform.machine()
    if machine not in _MACHINES or kernel.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return False
    lines = _filter(_MACHINES[machine], column=list(_MACHINES).index(machine), programs=programs)
    instructions = (_Instruction * len(lines))(*(_Instruction(*line) for line in lines))
    program = _Program(len(lines), instructions)
    return not kernel.prctl(_PR_SET_SECCOMP, _FILTER_MODE, ctypes.byref(program), 0, 0)


def _filter(machine: int, column: int, *, programs: bool) -> list[tuple[int, int, int, int]]:
    lines = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _REFUSE), (_LOAD, 0, 0, _NUMBER)]
    lines += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _REFUSE)]
    if programs:
        return [*lines, *_answered(_REFUSED, column, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    lines += _answered(list(_NUMBERS.values()), column, _ALLOW)
    for numbers, argument, mask, values in _with_arguments():
        if (number := numbers[column]) is not None:
            allowed = [line for value in values for line in ((_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW))]
            body = [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument), (_AND, 0, 0, mask), *allowed, (_RETURN, 0, 0, _REFUSE)]
            lines += [(_EQUAL, 0, len(body), number), *body]
    lines += _answered(_ANSWERED_UNKNOWN, column, _UNKNOWN)
    return [*lines, (_RETURN, 0, 0, _REFUSE)]


def _answered(
    calls: Sequence[tuple[int | None, int | None]], column: int, answer: int
) -> list[tuple[int, int, int, int]]:
    numbers = [call[column] for call in calls]
    return [
        line for number in numbers if number is not None for line in ((_EQUAL, 0, 1, number), (_RETURN, 0, 0, answer))
    ]
