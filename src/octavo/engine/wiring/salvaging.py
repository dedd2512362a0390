"""Which adapter reads what is left of a damaged library."""

from __future__ import annotations

from pathlib import Path

from octavo.stores.sqlite.salvage import salvage


def salvage_file(damaged: Path, target: Path) -> tuple[dict[str, int], tuple[str, ...]]:
    """Reads what is left of a damaged file into a new library: rows of each table, and what is lost."""
    salvaged = salvage(damaged, target)
    return salvaged.rows, salvaged.lost
