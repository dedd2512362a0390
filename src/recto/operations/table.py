"""OPERATIONS: everything a client can do, once. MCP tools, HTTP routes and the reference are made from this table."""

from __future__ import annotations

from collections.abc import Mapping

from recto.errors import InvalidArgument
from recto.operations.canonical_operations import CANONICAL_OPERATIONS
from recto.operations.code_operations import CODE_OPERATIONS
from recto.operations.graph_operations import GRAPH_OPERATIONS
from recto.operations.history_operations import HISTORY_OPERATIONS
from recto.operations.library_operations import LIBRARY_OPERATIONS
from recto.operations.memory_operations import MEMORY_OPERATIONS
from recto.operations.model_operations import MODEL_OPERATIONS
from recto.operations.operation import DEFAULT, FULL, Operation
from recto.operations.profile_operations import PROFILE_OPERATIONS
from recto.operations.snapshot_operations import SNAPSHOT_OPERATIONS

_ALL = (
    *LIBRARY_OPERATIONS,
    *CODE_OPERATIONS,
    *HISTORY_OPERATIONS,
    *MEMORY_OPERATIONS,
    *CANONICAL_OPERATIONS,
    *PROFILE_OPERATIONS,
    *MODEL_OPERATIONS,
    *GRAPH_OPERATIONS,
    *SNAPSHOT_OPERATIONS,
)
OPERATIONS: Mapping[str, Operation] = {operation.name: operation for operation in _ALL}
assert len(OPERATIONS) == len(_ALL), "two operations have one name"


def chosen(tools: str) -> tuple[Operation, ...]:
    """The operations of a named set, `full` being all, or of a list of names with commas between them."""
    sets = {DEFAULT, *(name for operation in OPERATIONS.values() for name in operation.tool_sets)}
    if tools == FULL:
        return tuple(OPERATIONS.values())
    if tools in sets:
        return tuple(operation for operation in OPERATIONS.values() if tools in operation.tool_sets)
    names = [name.strip() for name in tools.split(",") if name.strip()]
    for name in names:
        if name not in OPERATIONS:
            known = f"{', '.join(sorted(sets))}, {FULL}; operations: {', '.join(OPERATIONS)}"
            raise InvalidArgument(f"there is no tool or set of tools called {name}", hint=f"sets: {known}")
    return tuple(OPERATIONS[name] for name in dict.fromkeys(names))
