"""Looks up operations by name, alias or tool set; MCP tools, HTTP routes and the reference are made from them."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.errors import InvalidArgument
from octavo.operations.access_tokens.operation_declarations import TOKENS
from octavo.operations.answering.operation_declarations import ANSWERING
from octavo.operations.canonical_documents.operation_declarations import CANONICAL
from octavo.operations.code.operation_declarations import CODE
from octavo.operations.database.operation_declarations import DATABASE
from octavo.operations.embedding_profiles.operation_declarations import PROFILES
from octavo.operations.evaluation.operation_declarations import EVALUATION
from octavo.operations.graph.operation_declarations import GRAPH
from octavo.operations.history.operation_declarations import HISTORY
from octavo.operations.jobs.operation_declarations import JOBS
from octavo.operations.library.operation_declarations import LIBRARY
from octavo.operations.memory.operation_declarations import MEMORY
from octavo.operations.models.operation_declarations import MODELS
from octavo.operations.note_editing.operation_declarations import WRITING
from octavo.operations.operation import DATA, DEFAULT, FULL, Operation
from octavo.operations.projects.operation_declarations import PROJECTS
from octavo.operations.query_log.operation_declarations import QUERIES
from octavo.operations.reading.operation_declarations import READING
from octavo.operations.search.operation_declarations import SEARCH
from octavo.operations.search_snapshots.operation_declarations import SNAPSHOTS
from octavo.operations.summaries.operation_declarations import SUMMARIES

DEFINITIONS: tuple[Operation, ...] = (
    *SEARCH,
    *ANSWERING,
    *READING,
    *CODE,
    *HISTORY,
    *LIBRARY,
    *PROFILES,
    *MODELS,
    *EVALUATION,
    *QUERIES,
    *GRAPH,
    *SNAPSHOTS,
    *SUMMARIES,
    *JOBS,
    *DATABASE,
    *PROJECTS,
    *TOKENS,
    *MEMORY,
    *CANONICAL,
    *WRITING,
)
COMMANDS: Mapping[str, Operation] = {operation.command: operation for operation in DEFINITIONS if operation.command}


def called(words: str) -> Operation | None:
    """The operation of a command, or whose name or alias was typed instead of one."""
    name = words.replace("-", "_")
    named = (row for row in DEFINITIONS if name in (row.name, *row.aliases))
    return COMMANDS.get(words) or next(named, None)


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
