"""The operations on canonical documents."""

from __future__ import annotations

from octavo.operations.operation import IN_MEMORY, WRITES, ErrorCase, Listing, Operation

_AT = "octavo.operations.canonical"
_NOWHERE = ErrorCase({"key": "nowhere"}, "NOT_FOUND")
_PLAN = """# Closing down

## When

Close the dome when the humidity stays above 85 per cent for five minutes.

## How

Park the telescope first, then close the shutter, then cut the power.
"""

CANONICAL = (
    Operation(
        at=_AT,
        name="canonical_upsert",
        summary="Write a canonical document under its key.",
        description=(
            "Create or replace a specification, plan or rule book under a key. Every version stays readable; nothing "
            "happens when nothing would change."
        ),
        help="The text is read from FILE, or from stdin.",
        function="documents:canonical_upsert",
        request="CanonicalUpsertRequest",
        answer="MemoryState",
        lines="upsert_lines",
        listing=Listing(columns=("item", "version", "action", "title"), confirms=True),
        command="canonical upsert",
        shortcuts=("canonical put",),
        examples=(
            'octavo canonical upsert plans/closing "observatory/observing/Closing down.md" --class implementation_plan',
        ),
        creates=True,
        enqueues=True,
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
        at=_AT,
        name="canonical_get",
        summary="Read a canonical document.",
        description="Read a canonical document whole, as it is, at a version or as of a time.",
        help="With ANCHOR, only that section.",
        function="documents:canonical_get",
        request="CanonicalGetRequest",
        answer="CanonicalAnswer",
        lines="canonical_get_lines",
        listing=Listing(columns=("key", "version", "text"), exact="text"),
        command="canonical get",
        examples=("octavo canonical get plans/closing", "octavo canonical get plans/closing closing-down"),
        example={"key": "plans/closing"},
        errors=(_NOWHERE, ErrorCase({"key": "plans/closing", "version": 99}, "NOT_FOUND")),
        tool_sets=IN_MEMORY,
    ),
    Operation(
        at=_AT,
        name="canonical_outline",
        summary="List the sections of a canonical document.",
        description="Its headings with anchors, exact spans and lengths: read one with canonical_get_section.",
        function="documents:canonical_outline",
        request="CanonicalGetRequest",
        answer="CanonicalOutlineAnswer",
        lines="outline_lines",
        listing=Listing(rows="sections", columns=("anchor", "level", "start_line", "end_line", "tokens", "title")),
        command="canonical outline",
        examples=("octavo canonical outline plans/closing",),
        example={"key": "plans/closing"},
        errors=(_NOWHERE,),
        tool_sets=IN_MEMORY,
    ),
    Operation(
        at=_AT,
        name="canonical_get_section",
        summary="Read one section of a canonical document.",
        description="A section by its anchor, with its exact text and its subsections.",
        function="documents:canonical_get_section",
        request="CanonicalSectionRequest",
        answer="CanonicalPassage",
        lines="section_lines",
        listing=Listing(columns=("key", "version", "text"), exact="text"),
        command="canonical get-section",
        examples=("octavo canonical get-section plans/closing closing-down",),
        example={"key": "plans/closing", "anchor": "how"},
        errors=(
            ErrorCase({"key": "nowhere", "anchor": "how"}, "NOT_FOUND"),
            ErrorCase({"key": "plans/closing", "anchor": "nowhere"}, "NOT_FOUND"),
        ),
        tool_sets=IN_MEMORY,
    ),
    Operation(
        at=_AT,
        name="canonical_context_pack",
        summary="Pack what canonical documents say about something into a token budget.",
        description=(
            "The passages that answer best, with citations, never longer than max_tokens; without a query, the "
            "documents from their beginnings. Give it to a model before it works."
        ),
        help="Exit code 1 means that there was nothing to pack.",
        function="documents:canonical_context_pack",
        request="CanonicalPackRequest",
        answer="CanonicalPackAnswer",
        lines="pack_lines",
        listing=Listing(rows="passages", columns=("citation", "version", "text"), matches=True, exact="text"),
        command="canonical context-pack",
        shortcuts=("canonical pack",),
        examples=('octavo canonical context-pack "in which order is everything closed?" --max-tokens 300',),
        example={"query": "in which order is everything closed?", "max_tokens": 300},
        errors=(
            ErrorCase({"keys": ["nowhere"]}, "NOT_FOUND"),
            ErrorCase({"max_tokens": 1}, "INVALID_ARGUMENT"),
        ),
        tool_sets=IN_MEMORY,
    ),
    Operation(
        at=_AT,
        name="canonical_list",
        summary="List the canonical documents.",
        description="Every canonical document with its key, class and version.",
        function="documents:canonical_list",
        request="CanonicalListRequest",
        answer="CanonicalListAnswer",
        lines="canonical_list_lines",
        listing=Listing(rows="documents", columns=("key", "version", "doc_class", "title", "updated_at")),
        command="canonical list",
        examples=("octavo canonical list --class implementation_plan",),
        example={},
        errors=(ErrorCase({"project": "nowhere"}, "NOT_FOUND"),),
        tool_sets=IN_MEMORY,
    ),
)
