"""Find passages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from recto.engine.engine import Engine
from recto.errors import InvalidArgument, NotIndexed, Stale
from recto.model.document import Kind
from recto.model.query import Filters, Query
from recto.model.result import Hit, Result
from recto.retrieval.profiles import DEFAULT_PROFILE, profile_named

_AGO = re.compile(r"^(\d+)\s*(h|d|w|m|y)$")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to look for and where. Times are ISO dates or ages such as `7d`."""

    query: str
    limit: int = 10
    profile: str = DEFAULT_PROFILE
    collections: tuple[str, ...] = ()
    path_prefix: str | None = None
    uris: tuple[str, ...] = ()
    heading_contains: str | None = None
    tags_all: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    modified_after: str | None = None
    modified_before: str | None = None
    max_excerpt_chars: int | None = None
    require_fresh: bool = False


def search(engine: Engine, request: SearchRequest) -> Result:
    """Runs a profile over the library. An empty answer is an answer; an empty library is an error with a hint."""
    if request.limit < 1 or request.limit > 1000:
        raise InvalidArgument(f"limit must be between 1 and 1000, not {request.limit}")
    known = {collection.name for collection in engine.collections()}
    for name in request.collections:
        if name not in known:
            engine.collection(name)
    profile = profile_named(request.profile)
    now = datetime.now(UTC)
    filters = Filters(
        collections=request.collections,
        path_prefix=request.path_prefix,
        uris=request.uris,
        heading_contains=request.heading_contains,
        tags_all=tuple(tag.lstrip("#") for tag in request.tags_all),
        tags_any=tuple(tag.lstrip("#") for tag in request.tags_any),
        kinds=tuple(_kind(name) for name in request.kinds),
        modified_after=moment(request.modified_after, now),
        modified_before=moment(request.modified_before, now),
    )
    query = Query(request.query, request.limit, filters, max_excerpt_chars=request.max_excerpt_chars)
    result = engine.search(query, profile)
    if not result.freshness.documents:
        raise NotIndexed("nothing is indexed yet", hint="run `recto add FOLDER --name NAME`, then `recto index`")
    if request.require_fresh and result.freshness.full_vectors < 1.0:
        raise Stale(
            f"{result.freshness.pending} chunks have no vector yet", hint="run `recto index` to bring it up to date"
        )
    return result


def as_json(result: Result) -> dict[str, Any]:
    """The answer as promised to machines: stable names, exact offsets."""
    return {
        "query": result.query,
        "profile": result.profile,
        "took_ms": round(result.took_ms, 3),
        "hits": [hit_json(hit) for hit in result.hits],
        "freshness": {
            "documents": result.freshness.documents,
            "pending": result.freshness.pending,
            "failed": result.freshness.failed,
            "full_vectors": round(result.freshness.full_vectors, 4),
        },
    }


def hit_json(hit: Hit) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "score": round(hit.score, 6),
        "uri": hit.citation.uri,
        "collection": hit.collection,
        "kind": hit.kind.value,
        "title": hit.title,
        "heading_path": list(hit.citation.heading_path),
        "start": hit.citation.span.start,
        "end": hit.citation.span.end,
        "start_line": hit.citation.lines.first,
        "end_line": hit.citation.lines.last,
        "excerpt": hit.excerpt,
        "excerpt_truncated": hit.excerpt_truncated,
        "chunk_id": hit.chunk_id,
        "document_id": hit.document_id,
        "modified_at": datetime.fromtimestamp(hit.modified_at, UTC).isoformat(timespec="seconds"),
        "steps": [
            {"stage": step.stage, "score": round(step.score, 6), "rank": step.rank}
            | ({"detail": step.detail} if step.detail else {})
            for step in hit.steps
        ],
    }


def trace_json(result: Result) -> dict[str, Any]:
    """How the answer came to be, stage by stage."""
    return {
        "query": result.query,
        "profile": result.profile,
        "took_ms": round(result.took_ms, 3),
        "stages": [
            {
                "stage": stage.stage,
                "shape": stage.shape,
                "received": stage.received,
                "returned": stage.returned,
                "took_ms": round(stage.took_ms, 3),
                "skipped": stage.skipped,
                "failed": stage.failed,
                "detail": dict(stage.detail),
            }
            for stage in result.trace
        ],
    }


def moment(text: str | None, now: datetime) -> float | None:
    """`2024-05-01`, `2024-05-01T12:00:00+02:00` or an age: `36h`, `7d`, `2w`, `3m`, `1y`. UTC when unsaid."""
    if text is None:
        return None
    age = _AGO.match(text.strip())
    if age:
        return (now - timedelta(hours=int(age[1]) * _HOURS[age[2]])).timestamp()
    try:
        parsed = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidArgument(f"{text!r} is not a time", hint="write 2024-05-01, a full ISO time, or 7d") from None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def _kind(name: str) -> Kind:
    try:
        return Kind(name)
    except ValueError:
        raise InvalidArgument(
            f"there is no kind {name}", hint=f"choose one of: {', '.join(kind.value for kind in Kind)}"
        ) from None
