"""Declares the operations on memories: store, find, change and follow them."""

from __future__ import annotations

from functools import partial

from octavo.fast_dataclass import replace
from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import IN_BOTH, IN_MEMORY, WRITES, Annotations, Operation

_PROVENANCE = ("author", "reason", "session", "idempotency_key", "project")
_STATE = Listing(
    columns=("item", "version", "action", "kind", "scope", "title", "tags", "pinned", "status"), confirms=True
)
_FOUND = Listing(
    rows="memories",
    columns=("rank", "item", "version", "kind", "scope", "title", "created_at", "holds", "text"),
    matches=True,
)

_changes = partial(
    Operation,
    module="octavo.operations.memory.memory_reading_and_writing",
    annotations=WRITES,
    tool_sets=IN_MEMORY,
    unlisted=_PROVENANCE,
    listing=_STATE,
)
_recall = partial(Operation, module="octavo.operations.memory.recall")
_versions = partial(Operation, module="octavo.operations.memory.memory_reading_and_writing", tool_sets=IN_MEMORY)

_REMEMBER = _changes(
    name="remember",
    summary="Remember something, so that every later search finds it.",
    description=(
        "Store one self-contained fact, decision, preference or plan. A duplicate returns the existing memory, an "
        "edited text becomes its next version. Secrets are refused. `contradicts` names a memory that says something "
        "else of the same thing and still holds: tell the user, or have it superseded."
    ),
    help=(
        "Without TEXT, or with -, it is read from stdin. What is known already is not stored twice; a text that edits "
        "a memory becomes its next version. A text that contains a secret is refused. Where another memory says "
        "something else of the same thing, the answer names it, and the command that has it superseded."
    ),
    examples=(
        'octavo remember "The mirror was washed today." --kind fact --tag mirror',
        'octavo remember "Buy a spare belt for the mount." --title "Spare belt" --kind task --pin',
    ),
    creates=True,
    enqueues=True,
    example={
        "text": "The dome closes by itself when the humidity stays above 85 per cent for five minutes.",
        "title": "Dome and humidity",
        "kind": "fact",
    },
    tool_sets=IN_BOTH,
    unlisted=(*_PROVENANCE, "valid_from", "valid_to", "links", "force"),
)

_RARE = """
    scopes where created_after tags_any created_before canonical_only doc_classes item_ids exclude_item_ids
    max_chars min_similarity include_chunks profile as_of project
"""
_RECALL = _recall(
    name="recall",
    summary="Find what was remembered.",
    description="Find memories by word and by meaning; without a query, pinned ones and the latest.",
    help="Without QUERY: pinned memories, then the most recently changed. Exit code 1 means that nothing was found.",
    listing=_FOUND,
    examples=('octavo recall "when does the dome close?"', "octavo recall --kind note --after 7d"),
    example={"query": "when does the dome close?", "limit": 3},
    tool_sets=IN_BOTH,
    unlisted=tuple(_RARE.split()),
)

_FORGET = _changes(
    name="forget",
    summary="Remove a memory from every search; its history stays.",
    description="Take a memory out of every search. Its history stays.",
    help="`octavo memory restore` brings it back.",
    examples=('octavo forget "A passing thought" --reason "decided otherwise"',),
    example={"item": "A passing thought"},
    tool_sets=IN_BOTH,
)

MEMORY = (
    _REMEMBER,
    _RECALL,
    _FORGET,
    _versions(
        name="memory_get",
        summary="Read a memory as it is, at a version, or as of an instant.",
        description="Read a memory whole, with who wrote it and why; at a version or as of a time, when given.",
        help="Into a pipe or a file goes the exact text and nothing else.",
        listing=Listing(columns=("item", "version", "kind", "scope", "title", "status", "text"), exact="text"),
        examples=('octavo memory get "Dome and humidity"', 'octavo memory get "Dome and humidity" --version 1'),
        example={"item": "Dome and humidity"},
    ),
    _versions(
        name="memory_history",
        summary="Show how a memory changed, when, by whom and why.",
        description="Every version of a memory and every change to it, in order.",
        listing=Listing(
            rows="changes", columns=("at", "action", "version", "status", "pinned", "author", "reason", "session")
        ),
        examples=('octavo memory history "Dome and humidity"',),
        example={"item": "Dome and humidity"},
    ),
    _versions(
        name="memory_diff",
        summary="Show what changed between two versions of a memory.",
        description="A unified diff from one version to another, whole or by section; the last change by default.",
        help="Exit code 1 means that the versions are the same.",
        listing=Listing(columns=("item", "old", "new", "diff"), matches=True, exact="diff"),
        examples=('octavo memory diff "Dome and humidity"',),
        example={"item": "Dome and humidity"},
    ),
    _changes(
        name="memory_restore",
        summary="Make an earlier version of a memory its newest again.",
        description="Write an earlier version's text as a new version; an archived memory becomes active.",
        help="The versions in between stay in its history.",
        examples=('octavo memory restore "Dome and humidity" 1',),
        enqueues=True,
        example={"item": "Dome and humidity", "version": 1},
    ),
    _changes(
        name="memory_pin",
        summary="Pin a memory: recall without a query shows it first.",
        description="Pin a memory: recall without a query shows it first.",
        examples=('octavo memory pin "Dome and humidity"',),
        example={"item": "Dome and humidity"},
    ),
    _changes(
        name="memory_unpin",
        summary="Unpin a memory.",
        description="Take the pin off a memory.",
        examples=('octavo memory unpin "Dome and humidity"',),
        example={"item": "Dome and humidity"},
    ),
    _changes(
        name="memory_link",
        summary="Link a memory to a document or another memory.",
        description="Record that a memory is about something, and how: mentions, plans, refactors or any word.",
        examples=('octavo memory link "Dome and humidity" "observing/Closing down.md" --type explains',),
        example={"item": "Dome and humidity", "target": "observing/Closing down.md"},
    ),
    _changes(
        name="memory_unlink",
        summary="Take a link of a memory away.",
        description="Forget that a memory is about something; links in its text stay, until the text changes.",
        examples=('octavo memory unlink "Dome and humidity" "observing/Closing down.md"',),
        example={"item": "Dome and humidity", "target": "observing/Closing down.md"},
    ),
    _changes(
        name="memory_commit",
        summary="Store a memory exactly as it is given.",
        description=(
            "Write a new memory, or with item its next version, without looking for duplicates as remember does. "
            "The same idempotency_key gives the first answer again."
        ),
        help="Without TEXT, or with -, it is read from stdin.",
        examples=('octavo memory commit "The spare shutter motor is in the cellar." --scope maintenance',),
        creates=True,
        enqueues=True,
        example={"text": "The spare shutter motor is in the cellar.", "kind": "fact", "scope": "maintenance"},
        annotations=Annotations(read_only=False, idempotent=False),
        unlisted=(),
    ),
    replace(
        _RECALL,
        name="memory_search",
        summary="Find memories, with every filter there is.",
        description="Find memories by word and by meaning, within kinds, scopes, tags, times, or as of an instant.",
        examples=("octavo memory search humidity --scope project",),
        example={"query": "shutter motor", "scopes": ["maintenance"]},
        tool_sets=IN_MEMORY,
        unlisted=(),
    ),
    replace(
        _FORGET,
        name="memory_archive",
        description="Take a memory out of every search; the same as forget.",
        examples=('octavo memory archive "A passing thought"',),
        tool_sets=IN_MEMORY,
    ),
    _recall(
        name="memory_linked",
        summary="Find what was remembered about a document.",
        description=(
            "Memories that link to a file, a note or anything with a name, such as [[src/server.py]], narrowed by a "
            "question and by the type of the link. Works for files that are not there yet."
        ),
        help="Exit code 1 means that nothing was found.",
        listing=_FOUND,
        aliases=("search_linked_memories",),
        examples=('octavo memory linked "observing/Closing down.md"',),
        example={"target": "observing/Closing down.md", "query": "humidity"},
        tool_sets=IN_MEMORY,
    ),
    Operation(
        module="octavo.operations.memory.memory_reading_and_writing",
        name="memory_sync",
        summary="Synchronise a folder of Markdown files with the memories, both ways.",
        description="Reads and writes a folder of the machine it runs on: each file is a memory.",
        help=(
            "A new file is remembered, an edited one becomes the next version, a deleted one is archived; what was "
            "remembered or changed otherwise is written to its file. Exit code 6 means that a file was skipped."
        ),
        listing=Listing(
            columns=("folder", "created", "revised", "written", "archived", "trashed", "conflicts", "problems"),
            succeeds="complete",
            confirms=True,
        ),
        examples=("octavo memory sync notes/memories",),
        creates=True,
        enqueues=True,
        remote=False,
        example={"folder": "memories"},
        annotations=WRITES,
    ),
)
