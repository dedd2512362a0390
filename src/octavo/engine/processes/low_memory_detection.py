"""Whether this machine has too little memory left to compute full vectors."""

from __future__ import annotations

from pathlib import Path

LEAST = 2_000_000_000


def available_memory() -> int | None:
    """Bytes that could be had without swapping; None where the system does not say."""
    try:
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        return None
    return None


def low_memory(setting: str) -> str:
    """The reason why it is, or nothing."""
    if setting == "on":
        return "constrained mode is on"
    left = available_memory() if setting == "auto" else None
    if left is not None and left < LEAST:
        return f"only {left / 1e9:.1f} GB of memory are free"
    return ""
