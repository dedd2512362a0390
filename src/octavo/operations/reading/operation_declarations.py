"""Declares the operations that read."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import IN_CODE, IN_DEFAULT, Operation

_passages = partial(Operation, module="octavo.operations.reading.passage_reading")
_many = partial(Operation, module="octavo.operations.reading.many_documents_reading_and_listing", tool_sets=IN_CODE)
_inspect = partial(Operation, module="octavo.operations.reading.file_inspection")

READING = (
    _passages(
        name="get",
        summary="Read a document, some of its lines, a section or a chunk.",
        description="Read what a hit points at, exactly as stored: a document, lines, a section or a chunk.",
        listing=Listing(
            columns=("collection", "uri", "start_line", "end_line", "title", "heading_path", "text"), exact="text"
        ),
        help="""\b
REF is one of   notes/a.md             the whole document
                a                      the same by its path or the end of it, an alias or its title
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
        tool_sets=IN_DEFAULT | IN_CODE,
        unlisted=("version", "max_tokens"),
    ),
    _passages(
        name="diff",
        summary="Show what changed between two versions of a document.",
        description="The lines that changed between two stored versions of a document; by default the last change.",
        help="Versions are those that indexing met. `octavo history` lists them, `octavo get --version N` reads one.",
        listing=Listing(columns=("uri", "from_version", "to_version", "added", "removed"), exact="diff"),
        examples=('octavo diff "observing/Closing down.md" --from 1 --to 1',),
        example={"reference": "observing/Closing down.md", "from_version": 1, "to_version": 1},
    ),
    _many(
        name="get_many",
        summary="Read several documents, lines or sections at once.",
        description=(
            "Read several passages in one call, by reference or by glob (src/**/*.py), within a budget of tokens that "
            "they share."
        ),
        help="A glob is matched against whole uris: * within a folder, ** across folders. Quote it for the shell.",
        listing=Listing(
            rows="passages", columns=("collection", "uri", "start_line", "end_line", "title", "text"), matches=True
        ),
        examples=("octavo get-many 'observing/*.md' --token-budget 2000",),
        example={"references": ["observing/*.md"], "token_budget": 1000},
    ),
    _many(
        name="list_documents",
        summary="List documents below a path, or the properties they have.",
        description=(
            "List documents by path prefix, kind or property (where: status=draft, rating>=4), or with keys which "
            "properties there are."
        ),
        listing=Listing(rows="documents", columns=("collection", "uri", "kind", "title", "modified_at")),
        example={"path_prefix": "observing/"},
        typed="",
    ),
    _many(
        name="recent",
        summary="List the documents that were changed last.",
        description="List the documents whose files were changed last, the newest first: what somebody works on.",
        listing=Listing(rows="documents", columns=("collection", "uri", "kind", "title", "modified_at")),
        examples=("octavo recent -n 5",),
        example={"limit": 5},
        tool_sets=frozenset(),
    ),
    _passages(
        name="outline",
        summary="List a document's headings.",
        description="List a document's headings with anchors and lines: what to ask get for in a long document.",
        listing=Listing(rows="sections", columns=("level", "title", "anchor", "start_line", "end_line")),
        examples=('octavo outline "equipment/The 40 cm reflector.md"',),
        example={"reference": "equipment/The 40 cm reflector.md"},
    ),
    _inspect(
        name="inspect",
        summary="Show a file as the library sees it, and why a search does not find it.",
        description=(
            "A file as the library sees it: what became of it, its passages with their headings, lines, tokens and "
            "vectors, its links and versions. With a query, where each passage ranks, by which channel, and what keeps "
            "it below the first hit."
        ),
        listing=Listing(
            rows="passages",
            columns=("start_line", "end_line", "heading_path", "tokens", "vector", "rank", "score", "because"),
        ),
        examples=(
            'octavo inspect "observing/Closing down.md"',
            'octavo inspect "observing/Closing down.md" when does the dome have to close',
        ),
        example={"reference": "observing/Closing down.md", "query": "when does the dome have to close?"},
    ),
    _many(
        name="doc_tags",
        summary="The tags of documents.",
        description="The tags of documents by their ids: what the hits of a search can be narrowed to.",
        listing=Listing(
            rows="documents",
            columns=("document_id", "tags"),
            shown=("{document_id}", "{tags}|dim"),
            empty="No document has a tag.",
        ),
        example={"document_ids": []},
        tool_sets=frozenset(),
        remote=False,
        typed="",
    ),
)
