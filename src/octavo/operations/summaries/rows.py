"""The operations on summaries of sections and files."""

from __future__ import annotations

from octavo.operations.operation import WRITES, ErrorCase, Listing, Operation

_AT = "octavo.operations.summaries"

SUMMARIES = (
    Operation(
        at=_AT,
        name="summaries_build",
        summary="Summarise sections and files, so that a search can find them as a whole.",
        description="Make the summaries that the retrieval profile `multi_vector` searches in, beside chunks.",
        help=(
            "Without a model a summary is the sentences of the text that stand for most of it, and its vector the"
            " middle of its chunks' vectors. What indexing changes later is summarised again by jobs."
        ),
        function="summaries:summaries_build",
        request="SummariesBuildRequest",
        answer="SummariesBuilt",
        lines="built_lines",
        listing=Listing(
            columns=("documents", "sections", "calls", "tokens", "cost", "left", "stopped", "jobs"), confirms=True
        ),
        command="summaries build",
        examples=("octavo summaries build", "octavo summaries build --dry-run"),
        example={"dry_run": True},
        errors=(ErrorCase({"by": "nonsense"}, "INVALID_ARGUMENT"), ErrorCase({"by": "model"}, "CONFIGURATION")),
        annotations=WRITES,
        remote=False,
        watched=True,
    ),
    Operation(
        at=_AT,
        name="summaries_show",
        summary="Show the summaries of a file and its sections.",
        description="What was made of a document by `summaries build`.",
        function="summaries:summaries_show",
        request="SummariesShowRequest",
        answer="SummariesAnswer",
        lines="summaries_lines",
        listing=Listing(rows="summaries", columns=("node", "heading", "first_line", "last_line", "text", "maker")),
        command="summaries show",
        examples=("octavo summaries show 'observing/Closing down.md'",),
        example={"reference": "observing/Closing down.md"},
        errors=(ErrorCase({"reference": "nowhere.md"}, "NOT_FOUND"),),
        remote=False,
    ),
    Operation(
        at=_AT,
        name="summaries_clear",
        summary="Remove all summaries of the project.",
        description="Remove the summaries; nothing makes them again by itself.",
        function="summaries:summaries_clear",
        request="SummariesClearRequest",
        answer="SummariesCleared",
        lines="cleared_lines",
        listing=Listing(columns=("summaries",), confirms=True),
        command="summaries clear",
        examples=("octavo summaries clear",),
        example={},
        errors=(ErrorCase({"nonsense": True}, "INVALID_ARGUMENT"),),
        annotations=WRITES,
        remote=False,
    ),
)
