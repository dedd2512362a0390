"""The process that holds a lease, named so that others on its machine can tell whether it is still running."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path


def holder_name() -> str:
    """A name no other process and no other run has."""
    return f"{_machine()} {os.getpid()} {os.urandom(4).hex()}"


def process_of(holder: str) -> str:
    """For people: `4711`, or `4711 on another-machine`."""
    machine, _, rest = holder.partition(" ")
    number = rest.partition(" ")[0]
    return number if machine == _machine() else f"{number} on {machine.partition('/')[0]}"


def has_ended(holder: str) -> bool:
    """Whether the process is known to have ended. Of other machines, and on Windows, nothing is known."""
    machine, _, rest = holder.partition(" ")
    number = rest.partition(" ")[0]
    if os.name != "posix" or machine != _machine() or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return _is_zombie(number)


def _is_zombie(number: str) -> bool:
    """Whether a process has ended but its parent has not waited for it yet; only Linux says so."""
    try:
        return Path(f"/proc/{number}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[0] == "Z"
    except (OSError, IndexError):
        return False


@cache
def _machine() -> str:
    """A container has processes of its own: those of two with one host name must not be mixed up."""
    inside = ""
    with suppress(OSError):
        inside = f"/{Path('/proc/self/ns/pid').stat().st_ino}"
    return platform.node().replace(" ", "-") + inside
