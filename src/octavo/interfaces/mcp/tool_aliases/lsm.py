"""Local Second Mind's commands as tools: retrieval with score breakdowns, grounded answers, ingest, status."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from octavo.interfaces.mcp.tool_aliases.aliased_tool import Alias, Json, SeedCall, choice, flag, number, text, whole

_PROFILES = ("dense_only", "hybrid_rrf", "hyde_hybrid", "dense_cross_rerank", "llm_rerank", "hybrid", "multi_vector")
_QUERY = text(required=True, minLength=1)
_NARROWED = {
    "path_prefix": text(longest=4_096),
    "modified_after": text(longest=100),
    "modified_before": text(longest=100),
}


def _candidates(call: SeedCall) -> Json:
    """Candidates with what each stage said of them, citations, and the trace."""
    found = call.ask(explain=True, max_tokens=100_000)
    rows = [
        {
            "chunk_id": hit["chunk_id"],
            "text": hit["excerpt"],
            "relevance": hit.get("score"),
            "scores": _breakdown(hit),
            "citation": {
                "chunk_id": hit["chunk_id"],
                "source_path": hit["uri"],
                "heading": hit["heading_path"][-1] if hit["heading_path"] else None,
                "heading_path": hit["heading_path"],
                "page_number": hit.get("page"),
                "url_or_doi": hit.get("doi") or hit.get("url"),
                "snippet": hit["excerpt"],
            },
        }
        for hit in found["hits"]
    ]
    trace = found.get("trace") if call.given["trace"] else None
    return {"retrieval_profile": found["profile"], "candidates": rows} | ({"retrieval_trace": trace} if trace else {})


def _breakdown(hit: Json) -> Json:
    steps = {step["stage"]: step for step in hit.get("steps", ())}
    fused: Json = next((steps[name] for name in steps if name.endswith("fusion") or name == "single"), {})

    def of(stage: str, name: str) -> Any:
        return steps.get(stage, {}).get(name)

    return {
        "dense_score": of("dense", "score"),
        "dense_rank": of("dense", "rank"),
        "sparse_score": of("lexical", "score"),
        "sparse_rank": of("lexical", "rank"),
        "fused_score": fused.get("score"),
        "rerank_score": of("rerank", "score") or of("llm_rerank", "score"),
        "temporal_boost": _boost(hit.get("steps", [])),
    }


def _boost(steps: list[Json]) -> float | None:
    """By how much recency multiplied what the stage before it said."""
    pairs = pairwise(steps)
    return next((round(now["score"] / was["score"], 2) for was, now in pairs if now["stage"] == "recency_tiers"), None)


def _answer(call: SeedCall) -> Json:
    done = call.ask()
    return {name: value for name, value in done.items() if value is not None}


TOOLS: tuple[Alias, ...] = (
    Alias(
        "lsm.retrieve",
        "search",
        "Retrieve candidates by a retrieval profile, each with its score breakdown and citation.",
        {
            "query": _QUERY,
            "retrieval_profile": choice(_PROFILES, None, "profile"),
            "k": whole(1, 1_000, 12, "limit"),
            "trace": flag(False, None),
            **_NARROWED,
        },
        _candidates,
    ),
    Alias(
        "lsm.query",
        "ask",
        "Answer a question from the library, every sentence with its citation.",
        {
            "query": text("question", required=True, minLength=1),
            "mode": choice(("grounded", "insight"), "grounded"),
            "retrieval_profile": choice(_PROFILES, None, "profile"),
            "k": whole(1, 50, 12, "limit"),
            "max_hops": whole(1, 10),
            **_NARROWED,
        },
        _answer,
    ),
    Alias(
        "lsm.ingest",
        "reindex",
        "Bring the library in step with its folders; `full` reads every file again.",
        {"scope": choice(("changed", "full", "prefix"), "changed"), "prefix": text(longest=4_096), "wait": flag(False)},
    ),
    Alias("lsm.status", "status", "What the library holds, what is under way, and what was never built."),
    Alias(
        "lsm.graph_build_links",
        "graph_build",
        "Link what is near in meaning, in the background.",
        {"threshold": number(0.0, 1.0)},
        lambda call: call.ask(communities=False, entities=False),
    ),
)
