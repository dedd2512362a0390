"""The process that holds a lease, named so that others on its machine can tell whether it is still running."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path


def holder_name(label: str = "") -> str:
    """A name no other process has, and without a label no other run."""
    return f"{_machine()} {os.getpid()}@{_start(os.getpid())} {label or os.urandom(4).hex()}"


def process_of(holder: str) -> str:
    """For people: `4711`, or `4711 on another-machine`."""
    machine, number, _ = _parts(holder)
    return number if machine == _machine() else f"{number} on {machine.partition('/')[0]}"


def has_ended(holder: str) -> bool:
    """Whether the process is known to have ended. Of other machines, and on Windows, nothing is known."""
    machine, number, start = _parts(holder)
    if os.name != "posix" or machine != _machine() or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    # A zombie has ended, but its parent has not waited for it yet. Another start is another process of that number.
    state, now_started = _state_and_start(number)
    return state == "Z" or bool(start and now_started and start != now_started)


def _parts(holder: str) -> tuple[str, str, str]:
    """The machine, the process's number, and when it started where the system tells."""
    machine, _, rest = holder.partition(" ")
    number, _, start = rest.partition(" ")[0].partition("@")
    return machine, number, start


@cache
def _start(number: int) -> str:
    return _state_and_start(str(number))[1]


def _state_and_start(number: str) -> tuple[str, str]:
    """The letter of a process's state, and the tick of the system's clock at which it started; only Linux says so."""
    try:
        fields = Path(f"/proc/{number}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
        return fields[0], fields[19]
    except (OSError, IndexError):
        return "", ""


@cache
def _machine() -> str:
    """Containers have processes of their own, and machines of one name may share a server: neither are mixed up."""
    parts = [platform.node().replace(" ", "-")]
    with suppress(OSError):
        parts.append(str(Path("/proc/self/ns/pid").stat().st_ino))
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()[:8])
    return "/".join(parts)
