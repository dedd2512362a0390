"""EdgeCoder's retrieval tools: code, documentation, what is similar to a snippet, and what the index holds."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from octavo.interfaces.mcp.tool_aliases.aliased_tool import PROJECT, Alias, Json, SeedCall, flag, text, whole

_PROJECT = text(PROJECT, longest=200)
_QUERY = text(required=True, minLength=1)


def _results(call: SeedCall) -> list[Json]:
    """Code and prose alike. What only one channel found is of its type, the rest is `hybrid`."""
    found = call.ask(max_tokens=100_000)
    return [
        {
            "filePath": hit["uri"],
            "startLine": hit["start_line"],
            "endLine": hit["end_line"],
            "content": hit["excerpt"],
            "score": hit.get("score", 1.0 / hit["rank"]),
            "matchType": _match(hit["matched"]),
            "contentType": _content(hit),
            "language": hit.get("language"),
        }
        for hit in found["hits"]
    ]


def _match(channels: list[str]) -> str:
    """By meaning alone, by words alone, or by both and more."""
    return "vector" if set(channels) == {"dense"} else "hybrid" if "dense" in channels else "bm25"


def _content(hit: Json) -> str:
    if hit["kind"] in ("code", "config"):
        prose = hit["content_type"] == "prose"
        return "config" if hit["kind"] == "config" else "comment" if prose else str(hit["content_type"])
    return "code" if hit["content_type"] == "code" else "markdown"


def reranks(call: SeedCall) -> bool:
    """Where a reranker is set up, unless the client says otherwise; never on a machine that is short of memory."""
    config: Any = call.engine.library.config
    configured = config is not None and config.reranking.model is not None
    return bool(call.given.get("useReranker", configured)) and not call.engine.library.adapters.constrained()


def _reranked(call: SeedCall) -> list[Json]:
    return _results(SeedCall(call.alias, call.engine, call.given, {**call.renamed, "use_reranker": reranks(call)}))


def _stats(call: SeedCall) -> Json:
    found = call.ask("status")
    job: Json = found.get("job") or {}
    finished = job.get("finished_at")
    return {
        "totalDocuments": found["documents"],
        "totalChunks": found["chunks"],
        "totalVectors": round(found["chunks"] * found["full_vectors"]),
        "indexSizeBytes": found["library_bytes"],
        "lastFullBuildMs": finished and int(datetime.fromisoformat(finished).timestamp() * 1_000),
        "embeddingModel": found.get("model"),
        "indexing": job.get("state") == "running",
        "failed": sum(row["failed"] for row in found["collections"]),
    }


TOOLS: tuple[Alias, ...] = (
    Alias(
        "search_code",
        "search_code",
        "Full-text and vector hybrid search over the indexed codebase.",
        {
            "query": _QUERY,
            "projectId": _PROJECT,
            "language": text(longest=100),
            "maxResults": whole(1, 1_000, 5),
            "useReranker": flag(None, None),
        },
        _reranked,
    ),
    Alias(
        "search_docs",
        "search_docs",
        "Search documentation files.",
        {"query": _QUERY, "projectId": _PROJECT, "maxResults": whole(1, 1_000, 5, "limit")},
        _results,
    ),
    Alias(
        "find_similar",
        "find_similar",
        "Find chunks semantically similar to a given snippet.",
        {
            "codeSnippet": text("snippet", longest=50_000, required=True, minLength=1),
            "projectId": _PROJECT,
            "language": text(longest=100),
            "maxResults": whole(1, 1_000, 5, "limit"),
            "excludeFile": text(longest=4_096),
        },
        _results,
    ),
    Alias("stats", "status", "How much is indexed, and when it was built.", {"projectId": _PROJECT}, _stats),
)
