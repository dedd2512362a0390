"""The operations on git history: find commits, and list those that touched a file."""

from __future__ import annotations

from recto.operations import history
from recto.operations.operation import ErrorCase, Operation

HISTORY = "history"
_IN_HISTORY = frozenset({HISTORY})

HISTORY_OPERATIONS = (
    Operation(
        name="search_git_history",
        summary="Find commits by what they say and what they changed.",
        description=(
            "Find commits by word and by meaning: why something is as it is, when it changed, who changed it. Each "
            "hit cites its hash and files; read the whole commit, with its diff, with get and the hash."
        ),
        function=history.search_git_history,
        request=history.GitHistoryRequest,
        answer=history.GitHistoryAnswer,
        text=history.git_history_text,
        example={"query": "when did the dome learn about rain?", "top_n": 3},
        errors=(
            ErrorCase({"query": "dome", "collections": ["nowhere"]}, "NOT_FOUND"),
            ErrorCase({"query": "dome", "after": "yesterday"}, "INVALID_ARGUMENT"),
            ErrorCase({"query": "dome", "min_score": 2}, "INVALID_ARGUMENT"),
        ),
        tool_sets=_IN_HISTORY,
    ),
    Operation(
        name="history",
        summary="List the commits that touched a file, and its stored versions.",
        description=(
            "The commits that changed a file, newest first, followed through renames, and the versions of it that "
            "the library holds. Without a file, the newest commits."
        ),
        function=history.history,
        request=history.HistoryRequest,
        answer=history.HistoryAnswer,
        text=history.history_text,
        example={"reference": "observing/Closing down.md"},
        errors=(
            ErrorCase({"reference": "../../etc/passwd"}, "NOT_FOUND"),
            ErrorCase({"reference": "x.md", "collection": "nowhere"}, "NOT_FOUND"),
        ),
        tool_sets=_IN_HISTORY,
    ),
)
