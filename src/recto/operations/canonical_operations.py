"""The operations on canonical documents."""

from __future__ import annotations

from recto.operations import canonical, memories
from recto.operations.operation import IN_MEMORY, WRITES, ErrorCase, Operation

_NOWHERE = ErrorCase({"key": "nowhere"}, "NOT_FOUND")
_PLAN = """# Closing down

## When

Close the dome when the humidity stays above 85 per cent for five minutes.

## How

Park the telescope first, then close the shutter, then cut the power.
"""

CANONICAL_OPERATIONS = (
    Operation(
        name="canonical_upsert",
        summary="Write a canonical document under its key.",
        description=(
            "Make or replace a specification, plan or rule book under a key. Every version stays readable; what would "
            "change nothing is answered with what there is."
        ),
        function=canonical.canonical_upsert,
        request=canonical.CanonicalUpsertRequest,
        answer=memories.MemoryState,
        text=memories.state_text,
        example={"key": "plans/closing", "text": _PLAN, "doc_class": "implementation_plan"},
        errors=(
            ErrorCase({"key": "plans/closing", "text": " "}, "INVALID_ARGUMENT"),
            ErrorCase({"key": "a#b", "text": "x"}, "INVALID_ARGUMENT"),
            ErrorCase({"key": "nowhere", "text": "x", "expected_version": 1}, "NOT_FOUND"),
        ),
        annotations=WRITES,
        tool_sets=IN_MEMORY,
        unlisted=("author", "reason", "session", "project", "links", "kind", "force"),
    ),
    Operation(
        name="canonical_get",
        summary="Read a canonical document.",
        description="Read a canonical document whole, as it stands, at a version or as of a time.",
        function=canonical.canonical_get,
        request=canonical.CanonicalGetRequest,
        answer=canonical.CanonicalAnswer,
        text=canonical.get_text,
        example={"key": "plans/closing"},
        errors=(_NOWHERE, ErrorCase({"key": "plans/closing", "version": 99}, "NOT_FOUND")),
        tool_sets=IN_MEMORY,
    ),
    Operation(
        name="canonical_outline",
        summary="List the sections of a canonical document.",
        description="Its headings with anchors, exact spans and lengths: read one with canonical_get_section.",
        function=canonical.canonical_outline,
        request=canonical.CanonicalGetRequest,
        answer=canonical.CanonicalOutlineAnswer,
        text=canonical.outline_text,
        example={"key": "plans/closing"},
        errors=(_NOWHERE,),
        tool_sets=IN_MEMORY,
    ),
    Operation(
        name="canonical_get_section",
        summary="Read one section of a canonical document.",
        description="A section by its anchor, exactly as it stands, with what is below it.",
        function=canonical.canonical_get_section,
        request=canonical.CanonicalSectionRequest,
        answer=canonical.CanonicalPassage,
        text=canonical.section_text,
        example={"key": "plans/closing", "anchor": "how"},
        errors=(
            ErrorCase({"key": "nowhere", "anchor": "how"}, "NOT_FOUND"),
            ErrorCase({"key": "plans/closing", "anchor": "nowhere"}, "NOT_FOUND"),
        ),
        tool_sets=IN_MEMORY,
    ),
    Operation(
        name="canonical_context_pack",
        summary="Pack what canonical documents say about something into a budget of tokens.",
        description=(
            "The passages that answer best, with citations, never longer than max_tokens; without a query, the "
            "documents from their beginnings. Give it to a model before it works."
        ),
        function=canonical.canonical_context_pack,
        request=canonical.CanonicalPackRequest,
        answer=canonical.CanonicalPackAnswer,
        text=canonical.pack_text,
        example={"query": "in which order is everything closed?", "max_tokens": 300},
        errors=(
            ErrorCase({"keys": ["nowhere"]}, "NOT_FOUND"),
            ErrorCase({"max_tokens": 1}, "INVALID_ARGUMENT"),
        ),
        tool_sets=IN_MEMORY,
    ),
    Operation(
        name="canonical_list",
        summary="List the canonical documents.",
        description="Every canonical document with its key, class and version.",
        function=canonical.canonical_list,
        request=canonical.CanonicalListRequest,
        answer=canonical.CanonicalListAnswer,
        text=canonical.list_text,
        example={},
        errors=(ErrorCase({"project": "nowhere"}, "NOT_FOUND"),),
        tool_sets=IN_MEMORY,
    ),
)
