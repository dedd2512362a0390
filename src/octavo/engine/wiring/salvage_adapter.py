"""Which adapter reads what is left of a damaged library."""

from __future__ import annotations

from pathlib import Path

from octavo.stores.sqlite.salvage import Salvaged, salvage

__all__ = ("Salvaged", "salvage_file")


def salvage_file(damaged: Path, target: Path) -> Salvaged:
    """Reads what is left of a damaged file into a new library."""
    return salvage(damaged, target)
