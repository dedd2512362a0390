"""The operations that read."""

from __future__ import annotations

from octavo.operations.operation import IN_CODE, IN_DEFAULT, ErrorCase, Listing, Operation

_AT = "octavo.operations.reading"

READING = (
    Operation(
        at=_AT,
        name="get",
        summary="Read a document, some of its lines, a section or a chunk.",
        description="Read what a hit points at, exactly as stored: a document, lines, a section or a chunk.",
        function="get:get",
        request="GetRequest",
        answer="GetAnswer",
        lines="get_lines",
        listing=Listing(
            columns=("collection", "uri", "start_line", "end_line", "title", "heading_path", "text"), exact="text"
        ),
        command="get",
        help="""\b
REF is one of   notes/a.md             the whole document
                a                      the same by its name, the end of its path, an alias or its title
                notes/a.md:10-20       lines 10 to 20
                notes/a.md#anchor      a section, by anchor, title or heading path
                papers/a.pdf#page=7    a page; also with --page 7
                chk_…                  a chunk, by the id a search gave
                1f3c9ab                a commit, by the start of its hash

Into a pipe or a file goes the exact text and nothing else.""",
        examples=(
            'octavo get "observing/Closing down.md:1-12"',
            'octavo get "equipment/The 40 cm reflector.md#service"',
        ),
        example={"reference": "observing/Closing down.md:1-12"},
        errors=(
            ErrorCase({"reference": "../../etc/passwd"}, "NOT_FOUND"),
            ErrorCase({"reference": "observing/Closing down.md:9-3"}, "INVALID_ARGUMENT"),
        ),
        tool_sets=IN_DEFAULT | IN_CODE,
        unlisted=("max_tokens",),
    ),
    Operation(
        at=_AT,
        name="outline",
        summary="List a document's headings.",
        description="List a document's headings with anchors and lines: what to ask get for in a long document.",
        function="outline:outline",
        request="OutlineRequest",
        answer="OutlineAnswer",
        lines="outline_lines",
        listing=Listing(rows="sections", columns=("level", "title", "anchor", "start_line", "end_line")),
        command="outline",
        examples=('octavo outline "equipment/The 40 cm reflector.md"',),
        example={"reference": "equipment/The 40 cm reflector.md"},
        errors=(ErrorCase({"reference": "/etc/passwd"}, "NOT_FOUND"),),
    ),
)
