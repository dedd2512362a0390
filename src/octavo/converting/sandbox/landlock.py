"""Restricts which files a process may open, by Landlock (Linux 5.13 and later); what is not listed is denied."""

from __future__ import annotations

import ctypes
import os
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
