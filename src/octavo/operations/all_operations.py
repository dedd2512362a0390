"""Every subject's rows together, and the words by which the command line calls them."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.operations.access_tokens.definitions import TOKENS
from octavo.operations.answering.definitions import ANSWERING
from octavo.operations.canonical_documents.definitions import CANONICAL
from octavo.operations.code.definitions import CODE
from octavo.operations.database.definitions import DATABASE
from octavo.operations.embedding_profiles.definitions import PROFILES
from octavo.operations.evaluation.definitions import EVALUATION
from octavo.operations.graph.definitions import GRAPH
from octavo.operations.history.definitions import HISTORY
from octavo.operations.jobs.definitions import JOBS
from octavo.operations.library.definitions import LIBRARY
from octavo.operations.memory.definitions import MEMORY
from octavo.operations.models.definitions import MODELS
from octavo.operations.note_editing.definitions import WRITING
from octavo.operations.operation import Operation
from octavo.operations.projects.definitions import PROJECTS
from octavo.operations.query_log.definitions import QUERIES
from octavo.operations.reading.definitions import READING
from octavo.operations.search.definitions import SEARCH
from octavo.operations.search_snapshots.definitions import SNAPSHOTS
from octavo.operations.summaries.definitions import SUMMARIES

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
