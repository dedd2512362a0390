"""Declares the operation that answers a question."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import Operation

_ask = partial(Operation, module="octavo.operations.answering.ask")

_RARE = "uris heading_contains tags_any language modified_before model previous show_context explain"
ANSWERING = (
    _ask(
        name="ask",
        summary="Answer a question, every sentence with its citation.",
        description=(
            "Answer a question from the library. Every sentence comes with the exact place it is taken from, and with "
            "what that place is worth to it. Without a language model the sentences are the library's own."
        ),
        listing=Listing(
            rows="passages",
            columns=("number", "score", "collection", "uri", "start_line", "end_line", "title", "heading_path"),
            matches="outcome",
        ),
        examples=(
            'octavo ask "when does the dome have to close?"',
            'octavo ask --path observing/ "who opens the dome?" --json',
            'octavo ask --show-context "when does the dome have to close?"',
        ),
        help="Exit code 1 means that nothing in the library answers the question.",
        example={"question": "when does the dome have to close?", "limit": 3},
        unlisted=tuple(_RARE.split()),
    ),
)
