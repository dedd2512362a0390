"""Declares the operations on summaries of sections and files."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import WRITES, Operation

_summaries = partial(Operation, module="octavo.operations.summaries.build_show_and_clear_summaries", remote=False)

SUMMARIES = (
    _summaries(
        name="summaries_build",
        summary="Summarise sections and files, so that a search can find them as a whole.",
        description="Make the summaries that the retrieval profile `multi_vector` searches in, beside chunks.",
        help=(
            "Without a model a summary is the sentences of the text that stand for most of it, and its vector the"
            " middle of its chunks' vectors. What indexing changes later is summarised again by jobs."
        ),
        listing=Listing(
            columns=("documents", "sections", "calls", "tokens", "cost", "left", "stopped", "jobs"), confirms=True
        ),
        examples=("octavo summaries build", "octavo summaries build --dry-run"),
        example={"dry_run": True},
        annotations=WRITES,
        watched=True,
    ),
    _summaries(
        name="summaries_show",
        summary="Show the summaries of a file and its sections.",
        description="What was made of a document by `summaries build`.",
        listing=Listing(rows="summaries", columns=("node", "heading", "first_line", "last_line", "text", "maker")),
        examples=("octavo summaries show 'observing/Closing down.md'",),
        example={"reference": "observing/Closing down.md"},
    ),
    _summaries(
        name="summaries_clear",
        summary="Remove all summaries of the project.",
        description="Remove the summaries; nothing makes them again by itself.",
        listing=Listing(columns=("summaries",), confirms=True, shown=("Removed {summaries:summary/summaries}.",)),
        examples=("octavo summaries clear",),
        annotations=WRITES,
    ),
)
