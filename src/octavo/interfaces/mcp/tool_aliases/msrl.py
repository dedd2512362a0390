"""MSRL's tools: query, status, reindex and watch over a vault, and structured writing of its notes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from octavo.errors import NotIndexed
from octavo.fast_dataclass import replace
from octavo.ingest.snapshot_shard_assignment import shard_of
from octavo.interfaces.mcp.tool_aliases.aliased_tool import (
    Alias,
    Argument,
    Json,
    SeedCall,
    camel,
    choice,
    flag,
    group,
    text,
    texts,
    whole,
)
from octavo.model.document import HEADING_SEPARATOR, shown_path

_PROFILE = "weighted"  # .75 of the cosine and .25 of BM25
_VECTOR_WEIGHT = 0.75
_SHARDS = 128


def _queried(call: SeedCall) -> Json:
    """Scores from 0 to 1: the cosine, BM25 over the best of what was found, and both weighted."""
    beginning, limit = call.given.get("filters", {}).get("heading_path_prefix", ""), call.given["top_k"]
    # What begins so contains it: of more hits than are wanted, those that begin so.
    within = {"heading_contains": call.renamed.get("heading_contains") or beginning, "limit": 1_000}
    try:
        found = call.ask(profile=_PROFILE, explain=True, max_tokens=100_000, **(within if beginning else {}))
    except NotIndexed:  # an empty vault is no error
        found = {"hits": [], "took_ms": 0.0}
    if beginning:
        paths = ((hit, shown_path(tuple(hit["heading_path"]))) for hit in found["hits"])
        found["hits"] = [hit for hit, path in paths if path.startswith(beginning)][:limit]
    debug: Json = call.given.get("debug", {})
    results = []
    for hit in found["hits"]:
        row: Json = {
            "doc_uri": hit["uri"],
            "heading_path": shown_path(tuple(hit["heading_path"])),
            "start_char": hit["start"],
            "end_char": hit["end"],
            "excerpt": hit["excerpt"],
            "excerpt_truncated": hit["excerpt_truncated"],
            "score": _step(hit, "score_fusion"),
        }
        if debug.get("include_scores", True):
            cosine = row["vector_score"] = _from_0_to_1(_step(hit, "dense"))
            # BM25's own numbers are too small in a small vault: this is what the weighted sum has beside the cosine.
            row["bm25_score"] = _from_0_to_1((row["score"] - _VECTOR_WEIGHT * cosine) / (1 - _VECTOR_WEIGHT))
        results.append(row)
    meta: Json = {"took_ms": found["took_ms"]}
    if debug.get("include_shards_searched"):
        # Of a snapshot every shard is searched: these are the ones that had an answer.
        meta["shards_searched"] = sorted({shard_of(hit["uri"], _shards(call) or _SHARDS) for hit in found["hits"]})
    return {"results": results, "meta": meta}


def _from_0_to_1(score: float) -> float:
    return min(1.0, max(0.0, score))


def _step(hit: Json, stage: str) -> float:
    return next((float(step["score"]) for step in hit.get("steps", ()) if step["stage"] == stage), 0.0)


def _snapshot(call: SeedCall) -> Json:
    rows = call.ask("snapshots_list")["snapshots"]
    return next((row for row in rows if row["current"]), {})


def _shards(call: SeedCall) -> int:
    return int(_snapshot(call).get("shards", 0))


def _status(call: SeedCall) -> Json:
    """A small library needs no snapshot: it is ready, and its id is that of its recipe's last run."""
    found, snapshot = call.ask(), _snapshot(call)
    job: Json = found.get("job") or {}
    watch: Json = found.get("watch") or {}
    state = "building" if job.get("state") == "running" else "error" if job.get("error") else "ready"
    answer: Json = {
        "state": state,
        "snapshot_id": snapshot.get("snapshot"),
        "snapshot_timestamp": snapshot.get("created_at") or job.get("finished_at"),
        "stats": {
            "docs": found["documents"],
            "nodes": found["sections"],
            "leaves": found["chunks"],
            "shards": int(snapshot.get("shards", 0)),
        },
        "watcher": {
            "enabled": bool(watch.get("watching")),
            "debounce_ms": watch.get("debounce_ms"),
            "queue_depth": watch.get("queued", 0),
            "last_event_utc": watch.get("last_event_at"),
        },
    }
    return answer | ({"error": job["error"]} if state == "error" else {})


def _reindexed(call: SeedCall) -> Json:
    done = call.ask()
    job = done.get("job") or done
    answer = {"ok": not job.get("error"), "completed": job.get("state") == "done", "job": job}
    if not answer["completed"]:
        return answer
    began, ended = (datetime.fromisoformat(job[name]) for name in ("started_at", "finished_at"))
    counts = {
        f"docs_{name}": job[of] for name, of in (("added", "added"), ("modified", "changed"), ("deleted", "removed"))
    }
    stats = {**counts, "build_time_ms": int((ended - began).total_seconds() * 1_000)}
    return {**answer, "snapshot_id": _snapshot(call).get("snapshot"), "stats": stats}


def _error_details(details: Json) -> Json:
    """By the names of its errors, and none that is empty; a heading path as it is shown."""
    named = {"uri": "doc_uri"}
    shown = {
        name: shown_path(tuple(value)) if name == "heading_path" and value else value for name, value in details.items()
    }
    return {camel(named.get(name, name)): value for name, value in shown.items() if value is not None}


def _watched(call: SeedCall) -> Json:
    done = call.ask()
    return {"enabled": done["watching"], "debounce_ms": done["debounce_ms"]}


def _path(to: str = "", *, required: bool = True) -> Argument:
    """As it is shown: `Infra → Kubernetes`; empty for the top of the note."""
    return Argument(
        {"type": "string", "maxLength": 20_000},
        to,
        coerce=lambda shown: [title.strip() for title in shown.split(HEADING_SEPARATOR)] if shown.strip() else [],
        required=required,
    )


def _written(call: SeedCall) -> Json:
    done = call.ask()
    return {"ok": True, **{name: done[name] for name in ("uri", "changed", "hash", "diff") if name in done}}


_URI = text("uri", longest=4_096, required=True)
_CONTENT = text("content_md", longest=1_000_000, required=True)
_FILTERS = group(
    doc_uri_prefix=text("path_prefix", longest=4_096),
    doc_uris=texts(200, "uris", minItems=1),
    heading_path_contains=text("heading_contains", longest=10_000),
    heading_path_prefix=text(None, longest=10_000),
)
_DEBUG = group(include_scores=flag(True, None), include_shards_searched=flag(False, None))


def _write(name: str, description: str, **arguments: Any) -> Alias:
    return Alias(f"msrl.doc.{name}", f"doc_{name}", description, {"doc_uri": _URI, **arguments}, _written)


_ROWS: tuple[Alias, ...] = (
    Alias(
        "msrl.query",
        "search",
        "Hybrid search (vector + BM25) over vault Markdown and return exact excerpts with provenance.",
        {
            "query": text(required=True, minLength=1),
            "top_k": whole(1, 50, 8, "limit"),
            "max_excerpt_chars": whole(200, 20_000, 4_000),
            "filters": _FILTERS,
            "debug": _DEBUG,
        },
        _queried,
    ),
    Alias("msrl.status", "status", "Return index and watcher status.", {}, _status),
    Alias(
        "msrl.reindex",
        "reindex",
        "Trigger vault reindexing: changed files, everything, or a prefix.",
        {
            "scope": choice(("changed", "full", "prefix"), "changed"),
            "doc_uri_prefix": text("prefix", longest=4_096),
            "wait": flag(False),
        },
        _reindexed,
    ),
    Alias(
        "msrl.watch",
        "watch",
        "Enable or disable the filesystem watcher for automatic reindexing.",
        {"enabled": flag(required=True), "debounce_ms": whole(250, 30_000, 2_000)},
        _watched,
    ),
    Alias("msrl.doc.validate", "doc_validate", "Check a note's headings.", {"doc_uri": _URI}),
    _write("auto_fix", "Close heading jumps."),
    _write(
        "create",
        "Create a note.",
        title=text(longest=10_000, required=True),
        template_id=text("template", longest=4_096),
        overwrite=flag(False),
    ),
    _write(
        "insert_section",
        "Insert a section under a heading.",
        parent_heading_path=_path(),
        heading=text(longest=10_000, required=True),
        content_md=_CONTENT,
        level=whole(1, 6),
    ),
    _write("replace_section", "Replace a section's text.", heading_path=_path(), content_md=_CONTENT),
    _write("append_to_section", "Append to a section.", heading_path=_path(), content_md=_CONTENT),
    _write(
        "move_section",
        "Move a section below another heading.",
        from_heading_path=_path(),
        to_parent_heading_path=_path(),
    ),
)

TOOLS: tuple[Alias, ...] = tuple(replace(row, error_details=_error_details) for row in _ROWS)
