"""How many cores this process may keep busy."""

from __future__ import annotations

import os
from pathlib import Path

TOPOLOGY = Path("/sys/devices/system/cpu")
QUOTA = Path("/sys/fs/cgroup/cpu.max")


def available_cores() -> int:
    """Physical cores among those the process may run on, within a container's quota; at least one.

    Two threads of one core share its vector units, so a second one makes a model's arithmetic no faster.
    """
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    cores = {_siblings(number) for number in allowed}
    return max(1, min(len(cores), _quota() or len(cores)))


def _siblings(number: int) -> str:
    try:
        return (TOPOLOGY / f"cpu{number}/topology/thread_siblings_list").read_text()
    except OSError:
        return str(number)


def _quota() -> int | None:
    try:
        limit, period = QUOTA.read_text().split()
        return None if limit == "max" else max(1, int(limit) // int(period))
    except (OSError, ValueError):
        return None
