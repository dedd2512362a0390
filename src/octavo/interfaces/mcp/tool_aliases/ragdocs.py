"""Aliases of ragdocs' MCP tools: hybrid, compressed and hypothesis search, git history, linked memories."""

from __future__ import annotations

from octavo.interfaces.mcp.tool_aliases.aliased_tool import Alias, Argument, Json, SeedCall, number, text, texts, whole
from octavo.model.document import Kind

_FILES = [kind.value for kind in Kind if kind not in (Kind.COMMIT, Kind.MEMORY)]
_TOP = whole(1, 100, 5, "limit")
_QUERY = text(required=True, minLength=1)
_UNIX = Argument({"type": "integer", "minimum": 0, "maximum": 99_999_999_999}, coerce=lambda seconds: f"{seconds:09d}")


def documents(call: SeedCall) -> Json:
    """Ranked chunks of files, the best first, with scores from 0 to 1: commits and memories have tools of their own."""
    own = {"show_all": True} if call.alias.operation == "search" else {}
    found = call.ask(max_tokens=100_000, kinds=_FILES, **own)
    return {
        "results": [
            {
                "chunk_id": hit["chunk_id"],
                "doc_id": hit["document_id"],
                "score": hit.get("score"),
                "header_path": " > ".join(hit["heading_path"]),
                "file_path": hit["uri"],
                "content": hit["excerpt"],
                "start_line": hit["start_line"],
                "end_line": hit["end_line"],
            }
            for hit in found["hits"]
        ]
    }


def commits(call: SeedCall) -> Json:
    found = call.ask(max_tokens=100_000)
    names = ("hash", "title", "author", "committed_at", "files", "score", "excerpt")
    rows = [{name: commit[name] for name in names} for commit in found["commits"]]
    return {"results": rows} | ({"note": found["note"]} if found.get("note") else {})


def _linked(call: SeedCall) -> Json:
    found = call.ask()
    names = ("item", "title", "kind", "tags", "score", "text", "created_at")
    rows = [{name: memory[name] for name in names} for memory in found["memories"]]
    return {"target_document": found["target"], "results": rows, "links": found["links"]}


QUERY = Alias(
    "query_documents",
    "search",
    "Search local documentation using hybrid search and return ranked document chunks.",
    {"query": _QUERY, "top_n": _TOP},
    documents,
)
COMPRESSED = Alias(
    "query_documents_compressed",
    "search",
    "The same with context compression: low relevance is left out, and what is said twice.",
    {
        "query": _QUERY,
        "top_n": _TOP,
        "min_score": number(0.0, 1.0, 0.3),
        "similarity_threshold": number(0.5, 1.0, 0.85),
    },
    lambda call: documents(SeedCall(call.alias, call.engine, call.given, {**call.renamed, "mode": "compressed"})),
)

TOOLS: tuple[Alias, ...] = (
    QUERY,
    COMPRESSED,
    Alias(
        "search_with_hypothesis",
        "search_with_hypothesis",
        "Search for what a hypothetical document says.",
        {"hypothesis": _QUERY, "top_n": _TOP},
        documents,
    ),
    Alias(
        "search_git_history",
        "log",
        "Search git commit history using natural language queries.",
        {
            "query": _QUERY,
            "top_n": whole(1, 100, 5),
            "min_score": number(0.0, 1.0, 0.0),
            "file_pattern": text(longest=1_000),
            "author": text(longest=200),
            "after": _UNIX,
            "before": _UNIX,
        },
        commits,
    ),
    Alias(
        "search_linked_memories",
        "memory_linked",
        "What was remembered about a document, whether or not it is there.",
        {
            "target_document": text("target", longest=4_096, required=True),
            "query": text(),
            "edge_types": texts(20, "types"),
            "limit": whole(1, 100, 5),
        },
        _linked,
    ),
)
