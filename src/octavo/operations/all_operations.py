"""Every subject's rows together, and the words by which the command line calls them."""

from __future__ import annotations

from collections.abc import Mapping

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
from octavo.operations.operation import Operation
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
