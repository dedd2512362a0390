"""OPERATIONS: everything a client can do, once. MCP tools, HTTP routes and the reference are made from this table."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.errors import InvalidArgument
from octavo.operations.operation import DEFAULT, FULL, Operation
from octavo.operations.rows import ROWS

EVERY: Mapping[str, Operation] = {operation.name: operation for operation in ROWS}
"""What the command line and Python offer: also what concerns this machine alone."""
_ALL = tuple(operation for operation in ROWS if operation.remote)
OPERATIONS: Mapping[str, Operation] = {operation.name: operation for operation in _ALL}
ALIASES: Mapping[str, Operation] = {alias: operation for operation in _ALL for alias in operation.aliases}
"""Names that operations also answer to, and that nobody is told of."""
assert len({*OPERATIONS, *ALIASES}) == len(_ALL) + len(ALIASES), "two operations have one name"


def named(name: str) -> Operation | None:
    """The operation of this name, or of this alias."""
    return OPERATIONS.get(name) or ALIASES.get(name)


def chosen(tools: str) -> tuple[Operation, ...]:
    """The operations of named sets, `full` being all, and of single names, with commas between them."""
    sets = {DEFAULT, FULL, *(name for operation in OPERATIONS.values() for name in operation.tool_sets)}
    found: dict[str, Operation] = {}
    for name in (name.strip() for name in tools.split(",") if name.strip()):
        single = named(name)
        if name in sets:
            found |= {
                operation.name: operation
                for operation in OPERATIONS.values()
                if name == FULL or name in operation.tool_sets
            }
        elif single:
            found[single.name] = single
        else:
            known = f"{', '.join(sorted(sets))}; operations: {', '.join(OPERATIONS)}"
            raise InvalidArgument(f"there is no tool or set of tools called {name}", hint=f"sets: {known}")
    return tuple(found.values())
