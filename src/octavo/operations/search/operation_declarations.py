"""Declares the operations that find passages."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import IN_CODE, IN_DEFAULT, Operation

HITS = Listing(
    rows="hits",
    columns=("rank", "score", "collection", "uri", "start_line", "end_line", "title", "heading_path"),
    matches=True,
)

_search = partial(Operation, module="octavo.operations.search.search_handlers", listing=HITS)

_RARE = """
    profile uris heading_contains language where content_types matched tags_any modified_before as_of
    max_excerpt_chars mode min_score similarity_threshold show_all rerank hyde hypothesis require_fresh explain
    max_tokens
"""
SEARCH = (
    _search(
        name="search",
        summary="Find passages by word and by meaning.",
        description=(
            "Find passages in the indexed notes, documentation and code. Each hit is an exact excerpt with its "
            "uri and lines: cite it as uri:line. Read more around a hit with get."
        ),
        examples=(
            'octavo search "when does the dome have to close?"',
            "octavo search -n 3 --kind note --path equipment/ humidity",
            'octavo search "polar alignment" --format files',
            'octavo search --hyde "why is the dome warm?"',
            "octavo search humidity --where status=accepted",
            "octavo search humidity --as-of 2099-03-01",
            'octavo search --hypothesis "The dome is closed when the humidity rises above 85 per cent."',
        ),
        example={"query": "when does the dome have to close?", "limit": 3},
        tool_sets=IN_DEFAULT,
        unlisted=tuple(_RARE.split()),
    ),
    _search(
        name="search_docs",
        summary="Find passages in notes and documentation only.",
        description="The same as search, with code, configuration and commits left out.",
        examples=("octavo search-docs polar alignment --path equipment/",),
        example={"query": "polar alignment", "path_prefix": "equipment/"},
        tool_sets=IN_CODE,
    ),
    _search(
        name="search_with_hypothesis",
        summary="Find passages that say what you imagine the answer to say.",
        description=(
            "For vague questions: write the passage you hope to find, and it is looked for by meaning. "
            "A query, when given, is looked for by word."
        ),
        example={"hypothesis": "The dome is closed when the humidity rises above 85 per cent.", "limit": 3},
        typed="",
    ),
    _search(
        name="find_similar",
        summary="Find passages like a snippet.",
        description=(
            "Find the chunks nearest in meaning to a piece of code or prose, which is taken literally. Code finds "
            "code, prose finds prose, unless kinds are named."
        ),
        help="`-` reads the snippet from standard input. A snippet that starts with a minus sign goes after `--`.",
        examples=('octavo find-similar "Open the shutter before the mirror has cooled down." -n 3',),
        example={
            "snippet": "Open the shutter before the mirror has cooled down.",
            "exclude_file": "observing/Opening the dome.md",
            "limit": 3,
        },
        tool_sets=IN_CODE,
    ),
)
