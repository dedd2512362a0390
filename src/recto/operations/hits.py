"""Hits as clients get them: stable names, exact offsets, as many as fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from recto.model.document import shown_path
from recto.model.result import Freshness, Hit, Result, StageTrace
from recto.operations.budget import BYTES_PER_TOKEN, cursor, json_size, offset_of, size
from recto.operations.plain import plain
from recto.operations.quoting import DATA, one_line, quoted

_LONGEST_TITLE = 200
_QUERY_SHARE = 8  # of an answer's length, the most that repeating the query may take
SINCE = {"changed": "its file has changed since", "gone": "its file is no longer there"}


@dataclass(frozen=True, slots=True)
class Step:
    """What one stage said of a hit."""

    stage: str
    score: float
    rank: int
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class FoundHit:
    """A passage: where it is, and its exact text. Lines count from 1, characters from 0."""

    rank: int
    score: float
    collection: str
    uri: str
    kind: str
    title: str
    heading_path: tuple[str, ...]
    start: int
    end: int
    start_line: int
    end_line: int
    excerpt: str
    excerpt_truncated: bool
    chunk_id: str
    document_id: str
    modified_at: str
    stale: str | None = None
    steps: tuple[Step, ...] | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """What one stage of the search received, returned and took."""

    stage: str
    shape: str
    received: int
    returned: int
    took_ms: float
    skipped: str | None = None
    failed: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """`next_cursor` is there when more hits were found than fit; `trace` when it was asked for, `query` if short."""

    profile: str
    took_ms: float
    hits: tuple[FoundHit, ...]
    freshness: Freshness
    next_cursor: str | None = None
    trace: tuple[Stage, ...] | None = None
    query: str | None = None


def answer(result: Result, asked: object, max_tokens: int, written: str | None, *, explain: bool) -> SearchAnswer:
    """The hits from the cursor on that fit `max_tokens` both as JSON and as text; at least one, cut if it must be."""
    names = [one.chunk_id for one in result.hits]
    offset = offset_of(written, asked, names=names)
    empty = replace(
        _without_hits(result, explain=explain),
        next_cursor=cursor(len(names), asked, last=max(names, key=len, default="")),
    )
    if size(result.query) > max_tokens * BYTES_PER_TOKEN // _QUERY_SHARE:
        empty = replace(empty, query=None)  # its caller has it
    room = max_tokens * BYTES_PER_TOKEN - max(json_size(asdict(empty)), size(text(empty)))
    shown: list[FoundHit] = []
    for one in result.hits[offset:]:
        hit = found(one, explain=explain)
        needed = _size(hit)
        if needed > room and not shown:
            hit = _cut(hit, room)
            needed = _size(hit)
        if needed > room and shown:
            break
        shown.append(hit)
        room -= needed
    reached = offset + len(shown)
    more = cursor(reached, asked, last=names[reached - 1]) if reached < len(names) else None
    return replace(empty, hits=tuple(shown), next_cursor=more)


def whole(result: Result, *, explain: bool) -> SearchAnswer:
    """Every hit with its steps, however long: what a command prints. `explain` adds the trace."""
    return replace(_without_hits(result, explain=explain), hits=tuple(found(hit, explain=True) for hit in result.hits))


def _without_hits(result: Result, *, explain: bool) -> SearchAnswer:
    return SearchAnswer(
        profile=result.profile,
        took_ms=round(result.took_ms, 3),
        hits=(),
        freshness=replace(result.freshness, full_vectors=round(result.freshness.full_vectors, 4)),
        trace=tuple(stage(one) for one in result.trace) if explain else None,
        query=result.query,
    )


def found(hit: Hit, *, explain: bool) -> FoundHit:
    citation = hit.citation
    steps = tuple(Step(step.stage, round(step.score, 6), step.rank, step.detail or None) for step in hit.steps)
    return FoundHit(
        rank=hit.rank,
        score=round(hit.score, 6),
        collection=hit.collection,
        uri=citation.uri,
        kind=hit.kind.value,
        title=short(hit.title),
        heading_path=tuple(short(title) for title in citation.heading_path),
        start=citation.span.start,
        end=citation.span.end,
        start_line=citation.lines.first,
        end_line=citation.lines.last,
        excerpt=hit.excerpt,
        excerpt_truncated=hit.excerpt_truncated,
        chunk_id=hit.chunk_id,
        document_id=hit.document_id,
        modified_at=when(hit.modified_at),
        stale=hit.stale,
        steps=steps if explain else None,
    )


def stage(one: StageTrace) -> Stage:
    return Stage(
        stage=one.stage,
        shape=one.shape,
        received=one.received,
        returned=one.returned,
        took_ms=round(one.took_ms, 3),
        skipped=one.skipped,
        failed=one.failed,
        detail=dict(one.detail),
    )


def text(answer: SearchAnswer) -> str:
    """The whole answer for a reader: every hit with its place, its lines numbered and quoted."""
    number = len(answer.hits)
    head = f"{number} {'passage' if number == 1 else 'passages'}. {DATA}" if number else "Nothing matched."
    parts = [head, *(_hit_text(hit) for hit in answer.hits), *(_stage_text(one) for one in answer.trace or ())]
    fresh = answer.freshness
    state = [f"{fresh.documents} documents"]
    state += [f"{fresh.pending} chunks without a vector yet"] if fresh.pending else []
    state += [f"{fresh.failed} files failed"] if fresh.failed else []
    state += [f"{fresh.queued} changes on disk not looked at yet"] if fresh.queued else []
    state += [f"compared with the disk {age(fresh.age_seconds)} ago"] if fresh.age_seconds is not None else []
    parts.append(f"Searched {', '.join(state)} with {answer.profile} in {answer.took_ms:.1f} ms.")
    if answer.next_cursor:
        parts.append(f"There is more: repeat the request with cursor {answer.next_cursor}")
    return "\n\n".join(parts)


def _hit_text(hit: FoundHit) -> str:
    where = one_line(f"{hit.collection}/{hit.uri}:{hit.start_line}-{hit.end_line}")
    path = shown_path(hit.heading_path) or hit.title
    title = "" if hit.title in hit.heading_path or hit.title == path else f"{hit.title}: "
    about = f"{hit.kind}, modified {hit.modified_at[:10]}, characters {hit.start}-{hit.end}, score {hit.score:g}"
    steps = "".join(f"\n   {_step_text(step)}" for step in hit.steps or ())
    cut = "\n   (the excerpt is cut here)" if hit.excerpt_truncated else ""
    cut += f"\n   ({SINCE[hit.stale]})" if hit.stale else ""
    lines = quoted(hit.excerpt, hit.start_line)
    return f"{hit.rank}. {one_line(title + path)}\n   {where} ({about}, {hit.chunk_id}){steps}\n{lines}{cut}"


def _step_text(step: Step) -> str:
    return f"{step.stage}: rank {step.rank}, score {step.score:g}" + (f", {step.detail}" if step.detail else "")


def _stage_text(one: Stage) -> str:
    odd = f"; skipped: {one.skipped}" if one.skipped else f"; failed: {one.failed}" if one.failed else ""
    return f"{one.shape} {one.stage}: {one.received} in, {one.returned} out, {one.took_ms:.1f} ms{odd}"


def _size(hit: FoundHit) -> int:
    """In JSON a comma follows, in text an empty line."""
    return max(json_size(asdict(hit)), size(_hit_text(hit))) + 2


def _cut(hit: FoundHit, room: int) -> FoundHit:
    """With as much of its excerpt as there is room for. Its span stays: it says where to read on."""
    kept = len(hit.excerpt)
    while kept and _size(hit) > room:
        kept = max(0, min(kept - 1, kept * room // max(1, _size(hit))))
        hit = replace(hit, excerpt=hit.excerpt[:kept], excerpt_truncated=True)
    return hit


def age(seconds: int) -> str:
    """`40 s`, `3 min`, `2 h`, `5 d`."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def short(title: str) -> str:
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…"


def when(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="seconds")


def trace_json(result: Result) -> dict[str, Any]:
    """How the answer came to be, stage by stage."""
    return {
        "query": result.query,
        "profile": result.profile,
        "took_ms": round(result.took_ms, 3),
        "stages": [plain(stage(one)) for one in result.trace],
    }
