"""Declares the operations on git history: find commits, and list those that touched a file."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import Operation

_IN_HISTORY = frozenset({"history"})

_past = partial(Operation, module="octavo.operations.history.commits_and_file_history", tool_sets=_IN_HISTORY)

HISTORY = (
    _past(
        name="log",
        aliases=("search_git_history",),
        summary="Find commits by what they say and what they changed.",
        description=(
            "Find commits by word and by meaning: why something is as it is, when it changed, who changed it. Each "
            "hit cites its hash and files; read the whole commit, with its diff, with get and the hash."
        ),
        listing=Listing(
            rows="commits",
            columns=("rank", "score", "hash", "committed_at", "author", "title", "collection", "uri", "file_count"),
            matches=True,
        ),
        help=(
            "Without a QUERY, the newest commits are listed. Exit code 1 means that no commit matched. "
            "`octavo get HASH` shows a commit whole, with its diff; --format files lists what the commits changed and "
            "is still there, and by its citation a commit of which nothing is."
        ),
        examples=('octavo log "how is the dome closed?"', 'octavo log --author ann --file "*.md" -n 3'),
        example={"query": "when did the dome learn about rain?", "top_n": 3},
    ),
    _past(
        name="history",
        summary="List the commits and stored versions of a file, or the changes of a memory.",
        description=(
            "The commits that changed a file, newest first, followed through renames, and the versions of it that "
            "the library holds. Without a file, the newest commits."
        ),
        listing=Listing(
            rows="commits", columns=("hash", "committed_at", "author", "title", "collection", "uri", "file_count")
        ),
        help="A file is followed through its renames, and may be gone. Of a memory it says how it changed.",
        examples=('octavo history "observing/Closing down.md"', 'octavo history "Dome and humidity"'),
        example={"reference": "observing/Closing down.md"},
    ),
)
