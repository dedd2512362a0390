"""OPERATIONS: everything a client can do, once. MCP tools, HTTP routes and the reference are made from this table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from recto.engine.engine import Engine
from recto.errors import InvalidArgument
from recto.observability.progress import NoProgress, Progress
from recto.operations import (
    get,
    hits,
    memories,
    memory_history,
    outline,
    projects,
    recall,
    reindex,
    remember,
    search,
    status,
)

DEFAULT, MEMORY, FULL = "default", "memory", "full"


@dataclass(frozen=True, slots=True)
class Annotations:
    """What a careful client wants to know before it calls."""

    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


@dataclass(frozen=True, slots=True)
class ErrorCase:
    """A request that goes wrong on purpose, and the code it gets."""

    arguments: Mapping[str, Any]
    code: str


@dataclass(frozen=True, slots=True)
class Operation:
    """`function` takes an engine and a request, and with `watched` a progress too; `text` renders its answer whole.

    `summary` is a line; `description` says when to use it. `unlisted` arguments are taken but left out of a tool's
    listing. `example` and `errors` are held true by tests, over the vault in `examples/`.
    """

    name: str
    summary: str
    description: str
    function: Callable[..., Any]
    request: type
    answer: type
    text: Callable[[Any], str]
    example: Mapping[str, Any]
    errors: tuple[ErrorCase, ...]
    annotations: Annotations = Annotations()
    tool_sets: frozenset[str] = frozenset()
    unlisted: tuple[str, ...] = ()
    watched: bool = False

    def run(self, engine: Engine, request: Any, progress: Progress | None = None) -> Any:
        if self.watched:
            return self.function(engine, request, progress or NoProgress())
        return self.function(engine, request)


_DEFAULT_SET = frozenset({DEFAULT})
_MEMORY_SET = frozenset({MEMORY})
_WRITES = Annotations(read_only=False)
_NO_MEMORY = ErrorCase({"item": "mem_nowhere"}, "NOT_FOUND")
_ASKED = ("author", "reason", "session", "idempotency_key")
_NO_COLLECTION = ErrorCase({"query": "dome", "collections": ["nowhere"]}, "NOT_FOUND")

OPERATIONS: Mapping[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation(
            name="search",
            summary="Find passages by word and by meaning.",
            description=(
                "Find passages in the indexed notes, documentation and code. Each hit is an exact excerpt with its "
                "uri and lines: cite it as uri:line. Read more around a hit with get."
            ),
            function=search.search,
            request=search.SearchRequest,
            answer=hits.SearchAnswer,
            text=hits.text,
            example={"query": "when does the dome have to close?", "limit": 3},
            errors=(
                _NO_COLLECTION,
                ErrorCase({"query": "dome", "profile": "nonsense"}, "INVALID_ARGUMENT"),
                ErrorCase({"query": "dome", "modified_after": "yesterday"}, "INVALID_ARGUMENT"),
                ErrorCase({"query": "dome", "cursor": "nonsense"}, "NOT_FOUND"),
            ),
            tool_sets=_DEFAULT_SET,
            unlisted=(
                "profile",
                "uris",
                "heading_contains",
                "tags_any",
                "max_excerpt_chars",
                "require_fresh",
                "explain",
            ),
        ),
        Operation(
            name="search_docs",
            summary="Find passages in notes and documentation only.",
            description="The same as search, with code, configuration and commits left out.",
            function=search.search_docs,
            request=search.SearchDocsRequest,
            answer=hits.SearchAnswer,
            text=hits.text,
            example={"query": "polar alignment", "path_prefix": "equipment/"},
            errors=(_NO_COLLECTION,),
        ),
        Operation(
            name="search_with_hypothesis",
            summary="Find passages that say what you imagine the answer to say.",
            description=(
                "For vague questions: write the passage you hope to find, and it is looked for by meaning. "
                "A query, when given, is looked for by word."
            ),
            function=search.search_with_hypothesis,
            request=search.HypothesisRequest,
            answer=hits.SearchAnswer,
            text=hits.text,
            example={"hypothesis": "The dome is closed when the humidity rises above 85 per cent.", "limit": 3},
            errors=(ErrorCase({"hypothesis": "rain", "kinds": ["nonsense"]}, "INVALID_ARGUMENT"),),
        ),
        Operation(
            name="find_similar",
            summary="Find passages like a snippet.",
            description="Find the chunks nearest in meaning to a piece of code or prose, which is taken literally.",
            function=search.find_similar,
            request=search.SimilarRequest,
            answer=hits.SearchAnswer,
            text=hits.text,
            example={
                "snippet": "Open the shutter before the mirror has cooled down.",
                "exclude_file": "observing/Opening the dome.md",
                "limit": 3,
            },
            errors=(ErrorCase({"snippet": "x = 1", "collections": ["nowhere"]}, "NOT_FOUND"),),
            tool_sets=_DEFAULT_SET,
        ),
        Operation(
            name="get",
            summary="Read a document, some of its lines, a section or a chunk.",
            description="Read what a hit points at, exactly as stored: a document, lines, a section or a chunk.",
            function=get.get,
            request=get.GetRequest,
            answer=get.GetAnswer,
            text=get.text,
            example={"reference": "observing/Closing down.md:1-12"},
            errors=(
                ErrorCase({"reference": "../../etc/passwd"}, "NOT_FOUND"),
                ErrorCase({"reference": "observing/Closing down.md:9-3"}, "INVALID_ARGUMENT"),
            ),
            tool_sets=_DEFAULT_SET,
        ),
        Operation(
            name="outline",
            summary="List a document's headings.",
            description="List a document's headings with anchors and lines: what to ask get for in a long document.",
            function=outline.outline,
            request=outline.OutlineRequest,
            answer=outline.OutlineAnswer,
            text=outline.text,
            example={"reference": "equipment/The 40 cm reflector.md"},
            errors=(ErrorCase({"reference": "/etc/passwd"}, "NOT_FOUND"),),
            tool_sets=_DEFAULT_SET,
        ),
        Operation(
            name="status",
            summary="Say what the library holds and whether indexing is under way.",
            description="What the library holds: collections with their folders and counts, and how indexing goes.",
            function=status.status,
            request=status.StatusRequest,
            answer=status.StatusAnswer,
            text=status.status_text,
            example={},
            errors=(ErrorCase({"verbose": True}, "INVALID_ARGUMENT"),),
            tool_sets=_DEFAULT_SET,
        ),
        Operation(
            name="reindex",
            summary="Bring the library in step with its folders.",
            description=(
                "Read files that changed on disk into the library. Answers at once with the job, which status follows, "
                "or with wait when it is done."
            ),
            function=reindex.reindex,
            request=reindex.ReindexRequest,
            answer=reindex.Job,
            text=reindex.text,
            example={"scope": "changed", "wait": True},
            errors=(
                ErrorCase({"scope": "prefix", "prefix": "../"}, "INVALID_ARGUMENT"),
                ErrorCase({"collections": ["nowhere"]}, "NOT_FOUND"),
            ),
            annotations=Annotations(read_only=False),
            tool_sets=_DEFAULT_SET,
            watched=True,
        ),
        Operation(
            name="health_check",
            summary="Look for anything that is wrong.",
            description="Check the library, the model, the configuration it was indexed with and every collection.",
            function=status.health_check,
            request=status.HealthRequest,
            answer=status.HealthAnswer,
            text=status.health_text,
            example={"deep": True},
            errors=(ErrorCase({"depth": 1}, "INVALID_ARGUMENT"),),
        ),
        Operation(
            name="projects_resolve",
            summary="Say which project and collections a folder belongs to.",
            description="From a working directory to the project and the collections at, above or below it.",
            function=projects.projects_resolve,
            request=projects.ProjectsResolveRequest,
            answer=projects.ProjectsResolveAnswer,
            text=projects.projects_resolve_text,
            example={"path": "/"},
            errors=(
                ErrorCase({"path": "relative/path"}, "INVALID_ARGUMENT"),
                ErrorCase({"path": "/nowhere/at/all"}, "NOT_FOUND"),
            ),
        ),
        Operation(
            name="projects_list",
            summary="List the projects in the library.",
            description="Every project in the library with its collections and counts.",
            function=projects.projects_list,
            request=projects.ProjectsListRequest,
            answer=projects.ProjectsListAnswer,
            text=projects.projects_list_text,
            example={},
            errors=(ErrorCase({"all": True}, "INVALID_ARGUMENT"),),
        ),
        Operation(
            name="remember",
            summary="Keep something, so that every later search finds it.",
            description=(
                "Keep one self-contained fact, decision, preference or plan. What is known already is answered with; "
                "what edits a memory becomes its next version. Secrets are refused."
            ),
            function=remember.remember,
            request=remember.RememberRequest,
            answer=memories.MemoryState,
            text=memories.state_text,
            example={
                "text": "The dome closes by itself when the humidity stays above 85 per cent for five minutes.",
                "title": "Dome and humidity",
                "kind": "fact",
            },
            errors=(
                ErrorCase({"text": "   "}, "INVALID_ARGUMENT"),
                ErrorCase({"text": "x", "kind": "nonsense"}, "INVALID_ARGUMENT"),
                ErrorCase({"text": "The password: 'dX7-quarry-Lantern'"}, "INVALID_ARGUMENT"),
            ),
            annotations=_WRITES,
            tool_sets=_MEMORY_SET,
            unlisted=(*_ASKED, "valid_from", "valid_to"),
        ),
        Operation(
            name="recall",
            summary="Find what was remembered.",
            description="Find memories by word and by meaning; without a query, pinned ones and the latest.",
            function=recall.recall,
            request=recall.RecallRequest,
            answer=recall.RecallAnswer,
            text=recall.text,
            example={"query": "when does the dome close?", "limit": 3},
            errors=(
                ErrorCase({"query": "dome", "kinds": ["nonsense"]}, "INVALID_ARGUMENT"),
                ErrorCase({"items": ["mem_nowhere"]}, "NOT_FOUND"),
            ),
            tool_sets=_MEMORY_SET,
            unlisted=("tags_any", "created_before", "items", "exclude_items", "max_chars", "profile"),
        ),
        Operation(
            name="forget",
            summary="Put a memory away.",
            description="Take a memory out of every search. Its history stays, and memory_restore brings it back.",
            function=remember.forget,
            request=remember.ForgetRequest,
            answer=memories.MemoryState,
            text=memories.state_text,
            example={"item": "A passing thought"},
            errors=(_NO_MEMORY,),
            annotations=_WRITES,
            tool_sets=_MEMORY_SET,
            unlisted=_ASKED,
        ),
        Operation(
            name="memory_get",
            summary="Read a memory as it stands, at a version, or as of an instant.",
            description="Read a memory whole, with who wrote it and why; at a version or as of a time, when given.",
            function=memory_history.memory_get,
            request=memory_history.MemoryGetRequest,
            answer=memory_history.MemoryGetAnswer,
            text=memory_history.memory_get_text,
            example={"item": "Dome and humidity"},
            errors=(_NO_MEMORY, ErrorCase({"item": "Dome and humidity", "version": 99}, "NOT_FOUND")),
            tool_sets=_MEMORY_SET,
        ),
        Operation(
            name="memory_history",
            summary="Say how a memory changed, when, by whom and why.",
            description="Every version of a memory and every change to it, in order.",
            function=memory_history.memory_history,
            request=memory_history.MemoryHistoryRequest,
            answer=memory_history.MemoryHistoryAnswer,
            text=memory_history.memory_history_text,
            example={"item": "Dome and humidity"},
            errors=(_NO_MEMORY,),
            tool_sets=_MEMORY_SET,
        ),
        Operation(
            name="memory_diff",
            summary="Show what changed between two versions of a memory.",
            description="A unified diff from one version to another; without them, of the last change.",
            function=memory_history.memory_diff,
            request=memory_history.MemoryDiffRequest,
            answer=memory_history.MemoryDiffAnswer,
            text=memory_history.memory_diff_text,
            example={"item": "Dome and humidity"},
            errors=(_NO_MEMORY, ErrorCase({"item": "Dome and humidity", "old": 99}, "NOT_FOUND")),
            tool_sets=_MEMORY_SET,
        ),
        Operation(
            name="memory_restore",
            summary="Make an earlier version of a memory its newest again.",
            description="Write an earlier version's text as a new version; a memory that was put away is back.",
            function=memory_history.memory_restore,
            request=memory_history.MemoryRestoreRequest,
            answer=memories.MemoryState,
            text=memories.state_text,
            example={"item": "Dome and humidity", "version": 1},
            errors=(ErrorCase({"item": "mem_nowhere", "version": 1}, "NOT_FOUND"),),
            annotations=_WRITES,
            tool_sets=_MEMORY_SET,
            unlisted=_ASKED,
        ),
        Operation(
            name="memory_pin",
            summary="Keep a memory in front.",
            description="Pin a memory: recall without a query shows it first.",
            function=memory_history.memory_pin,
            request=memory_history.MemoryChangeRequest,
            answer=memories.MemoryState,
            text=memories.state_text,
            example={"item": "Dome and humidity"},
            errors=(_NO_MEMORY,),
            annotations=_WRITES,
            tool_sets=_MEMORY_SET,
            unlisted=_ASKED,
        ),
        Operation(
            name="memory_unpin",
            summary="Keep a memory in front no longer.",
            description="Take the pin off a memory.",
            function=memory_history.memory_unpin,
            request=memory_history.MemoryChangeRequest,
            answer=memories.MemoryState,
            text=memories.state_text,
            example={"item": "Dome and humidity"},
            errors=(_NO_MEMORY,),
            annotations=_WRITES,
            tool_sets=_MEMORY_SET,
            unlisted=_ASKED,
        ),
        Operation(
            name="memory_link",
            summary="Link a memory to a document or another memory.",
            description="Note that a memory is about something, and how: mentions, plans, refactors or any word.",
            function=memory_history.memory_link,
            request=memory_history.MemoryLinkRequest,
            answer=memories.MemoryState,
            text=memories.state_text,
            example={"item": "Dome and humidity", "target": "observing/Closing down.md"},
            errors=(ErrorCase({"item": "mem_nowhere", "target": "x"}, "NOT_FOUND"),),
            annotations=_WRITES,
            tool_sets=_MEMORY_SET,
            unlisted=_ASKED,
        ),
    )
}


def chosen(tools: str) -> tuple[Operation, ...]:
    """The operations of a named set, `full` being all, or of a list of names with commas between them."""
    sets = {DEFAULT, *(name for operation in OPERATIONS.values() for name in operation.tool_sets)}
    if tools == FULL:
        return tuple(OPERATIONS.values())
    if tools in sets:
        return tuple(operation for operation in OPERATIONS.values() if tools in operation.tool_sets)
    names = [name.strip() for name in tools.split(",") if name.strip()]
    for name in names:
        if name not in OPERATIONS:
            known = f"{', '.join(sorted(sets))}, {FULL}; operations: {', '.join(OPERATIONS)}"
            raise InvalidArgument(f"there is no tool or set of tools called {name}", hint=f"sets: {known}")
    return tuple(OPERATIONS[name] for name in dict.fromkeys(names))
