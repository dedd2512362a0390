"""Collects the aliased tools of the sets that `--tools` names, and imports no other set."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from octavo.operations.operation_lookup import SEEDS, set_names

if TYPE_CHECKING:
    from octavo.interfaces.mcp.tool_aliases.aliased_tool import Alias


def aliases(tools: str) -> tuple[Alias, ...]:
    """The rows of every set that is named; nothing is imported where none is."""
    rows: dict[str, Alias] = {}
    for name in sorted(set_names(tools) & SEEDS):
        rows |= {alias.name: alias for alias in import_module(f"octavo.interfaces.mcp.tool_aliases.{name}").TOOLS}
    return tuple(rows.values())
