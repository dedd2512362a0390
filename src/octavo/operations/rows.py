"""Every subject's rows together, and the words by which the command line calls them."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.operations.answering.rows import ANSWERING
from octavo.operations.canonical.rows import CANONICAL
from octavo.operations.code.rows import CODE
from octavo.operations.database.rows import DATABASE
from octavo.operations.evaluation.rows import EVALUATION
from octavo.operations.graph.rows import GRAPH
from octavo.operations.history.rows import HISTORY
from octavo.operations.jobs.rows import JOBS
from octavo.operations.library.rows import LIBRARY
from octavo.operations.memory.rows import MEMORY
from octavo.operations.models.rows import MODELS
from octavo.operations.operation import Operation
from octavo.operations.profiles.rows import PROFILES
from octavo.operations.projects.rows import PROJECTS
from octavo.operations.queries.rows import QUERIES
from octavo.operations.reading.rows import READING
from octavo.operations.search.rows import SEARCH
from octavo.operations.snapshots.rows import SNAPSHOTS
from octavo.operations.summaries.rows import SUMMARIES
from octavo.operations.writing.rows import WRITING

ROWS: tuple[Operation, ...] = (
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
    *MEMORY,
    *CANONICAL,
    *WRITING,
)
COMMANDS: Mapping[str, Operation] = {operation.command: operation for operation in ROWS if operation.command}


def called(words: str) -> Operation | None:
    """The operation of a command, or whose name or alias was typed instead of one."""
    name = words.replace("-", "_")
    named = (row for row in ROWS if name in (row.name, *row.aliases))
    return COMMANDS.get(words) or next(named, None)
