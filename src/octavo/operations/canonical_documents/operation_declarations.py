"""Declares the operations on canonical documents: memories with a key, such as specifications and plans."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import IN_MEMORY, WRITES, Operation

_PLAN = """# Closing down

## When

Close the dome when the humidity stays above 85 per cent for five minutes.

## How

Park the telescope first, then close the shutter, then cut the power.
"""

_documents = partial(
    Operation,
    module="octavo.operations.canonical_documents.write_read_and_pack",
    tool_sets=IN_MEMORY,
    listing=Listing(columns=("key", "version", "text"), exact="text"),
)

CANONICAL = (
    _documents(
        name="canonical_upsert",
        summary="Write a canonical document under its key.",
        description=(
            "Create or replace a specification, plan or rule book under a key. Every version stays readable; nothing "
            "happens when nothing would change."
        ),
        help="The text is read from FILE, or from stdin.",
        listing=Listing(columns=("item", "version", "action", "title"), confirms=True),
        examples=(
            'octavo canonical upsert plans/closing "observatory/observing/Closing down.md" --class implementation_plan',
        ),
        creates=True,
        enqueues=True,
        example={"key": "plans/closing", "text": _PLAN, "doc_class": "implementation_plan"},
        annotations=WRITES,
        unlisted=("author", "reason", "session", "project", "links", "kind", "force"),
    ),
    _documents(
        name="canonical_get",
        summary="Read a canonical document.",
        description="Read a canonical document whole, as it is, at a version or as of a time.",
        help="With ANCHOR, only that section.",
        examples=("octavo canonical get plans/closing", "octavo canonical get plans/closing closing-down"),
        example={"key": "plans/closing"},
    ),
    _documents(
        name="canonical_outline",
        summary="List the sections of a canonical document.",
        description="Its headings with anchors, exact spans and lengths: read one with canonical_get_section.",
        listing=Listing(rows="sections", columns=("anchor", "level", "start_line", "end_line", "tokens", "title")),
        examples=("octavo canonical outline plans/closing",),
        example={"key": "plans/closing"},
    ),
    _documents(
        name="canonical_get_section",
        summary="Read one section of a canonical document.",
        description="A section by its anchor, with its exact text and its subsections.",
        examples=("octavo canonical get-section plans/closing closing-down",),
        example={"key": "plans/closing", "anchor": "how"},
    ),
    _documents(
        name="canonical_context_pack",
        summary="Pack what canonical documents say about something into a token budget.",
        description=(
            "The passages that answer best, with citations, never longer than max_tokens; without a query, the "
            "documents from their beginnings. Give it to a model before it works."
        ),
        help="Exit code 1 means that there was nothing to pack.",
        listing=Listing(rows="passages", columns=("citation", "version", "text"), matches=True, exact="text"),
        examples=('octavo canonical context-pack "in which order is everything closed?" --max-tokens 300',),
        example={"query": "in which order is everything closed?", "max_tokens": 300},
    ),
    _documents(
        name="canonical_list",
        summary="List the canonical documents.",
        description="Every canonical document with its key, class and version.",
        listing=Listing(
            rows="documents",
            columns=("key", "version", "doc_class", "title", "updated_at"),
            shown=("{key}|title", "v{version}", "{doc_class}|dim", "{title}"),
            empty="There is no canonical document.",
        ),
        examples=("octavo canonical list --class implementation_plan",),
    ),
)
