"""Looks up operations by name, alias or tool set; MCP tools, HTTP routes and the reference are made from them."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.errors import InvalidArgument
from octavo.operations.all_operations import DEFINITIONS
from octavo.operations.operation import DATA, DEFAULT, FULL, Operation

SEEDS = frozenset({"edgecoder", "lsm", "memento", "msrl", "ragdocs"})
"""Sets of tools under the names of other programs; an interface has their tables."""
DOTTED = "dotted"
"""Named among sets of tools: names have dots, as in `memory.search`."""

EVERY: Mapping[str, Operation] = {operation.name: operation for operation in DEFINITIONS}
"""What the command line and Python offer: also what concerns this machine alone."""
_ALL = tuple(operation for operation in DEFINITIONS if operation.remote)
OPERATIONS: Mapping[str, Operation] = {operation.name: operation for operation in _ALL}
ALIASES: Mapping[str, Operation] = {alias: operation for operation in _ALL for alias in operation.aliases}
"""Names that operations also answer to, and that nobody is told of."""
assert len({*OPERATIONS, *ALIASES}) == len(_ALL) + len(ALIASES), "two operations have one name"


def named(name: str) -> Operation | None:
    return OPERATIONS.get(name) or ALIASES.get(name)


def chosen(tools: str) -> tuple[Operation, ...]:
    """The operations of named sets, `full` being all, and of single names, with commas between them."""
    names = set_names(tools) - {DATA, DOTTED} or {DEFAULT}
    names -= SEEDS
    if unknown := sorted(name for name in names if name not in SETS and not named(name)):
        known = f"{', '.join(sorted(SETS))}; operations: {', '.join(OPERATIONS)}"
        raise InvalidArgument(f"there is no tool or set of tools called {unknown[0]}", hint=f"sets: {known}")
    return tuple(row for row in _ALL if names & {row.name, FULL, *row.aliases, *row.sets})


def gives_data(tools: str) -> bool:
    """Whether a client takes answers as structured data, in place of text."""
    return DATA in set_names(tools)


SETS = frozenset({DATA, DOTTED, FULL, *SEEDS, *(name for operation in _ALL for name in operation.sets)})
"""Names of tool sets: those of rows, and the subjects and groups that all operations fall into."""


def set_names(tools: str) -> set[str]:
    return {name.strip() for name in tools.split(",") if name.strip()}
