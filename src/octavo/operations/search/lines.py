"""A search's answer as lines: every hit with its place and its text, and what was searched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from octavo.algorithms.times import age
from octavo.model.document import Kind, shown_path
from octavo.model.result import Freshness, StageTrace
from octavo.operations.lines import (
    DETAIL,
    FILL,
    Block,
    Line,
    Part,
    Quote,
    columns,
    count,
    degraded_lines,
    duration,
    more,
)
from octavo.operations.search.answers import FoundHit, SearchAnswer, Step

INDENT = "   "
_NAMED = 3  # copies of a hit
_CODE = frozenset({Kind.CODE, Kind.CONFIG})
_STALE = {"changed": "changed since", "gone": "no longer there"}


def search_lines(answer: SearchAnswer) -> Iterator[Block]:
    explain = answer.trace is not None
    for hit in answer.hits:
        yield from hit_lines(hit, explain=explain)
        yield ()
    if not answer.hits:
        yield (Part("No match."),)
    if answer.trace is not None:
        yield from stage_lines(answer.trace)
        yield ()
        if answer.hits and all(hit.score is None for hit in answer.hits):
            yield (Part(f"{answer.profile} is not calibrated for this model: its scores only order.", "dim"),)
    yield from degraded_lines(answer.degraded)
    yield (Part(_footer(answer), "dim"), *_checked(answer.freshness))
    yield from more(answer.next_cursor)


def hit_lines(hit: FoundHit, *, explain: bool) -> Iterator[Block]:
    title = hit.title or hit.uri
    score = () if hit.score is None else (FILL, Part(f"{hit.score:.2f}", "dim"))
    yield Part(f"{hit.rank}. ".ljust(len(INDENT)), "dim"), Part(title, "title"), *score
    # The first heading most often is the title, which has just been read.
    below = shown_path(hit.heading_path[1:] if hit.heading_path[:1] == (hit.title,) else hit.heading_path)
    if below:
        yield Part(INDENT), Part(below, "heading")
    about = f" ({hit.kind}, modified {hit.modified_at[:10]}, characters {hit.start}-{hit.end}, {hit.chunk_id})"
    yield (Part(INDENT), *_place(hit, about), *((Part(f"  {_STALE[hit.stale]}", "warn"),) if hit.stale else ()))
    if hit.also_in:
        further = len(hit.also_in) - _NAMED
        shown = ", ".join(hit.also_in[:_NAMED]) + (f" and {further} more" if further > 0 else "")
        yield (Part(f"{INDENT}also in {shown}", "dim"),)
    yield Quote(
        hit.excerpt,
        hit.start_line,
        truncated=hit.excerpt_truncated,
        verbatim=hit.kind in _CODE,
        declares=hit.kind == Kind.CODE,
        titles=(hit.title, *hit.heading_path),
    )
    if explain:
        yield from _steps(hit.steps or ())


def _place(hit: FoundHit, about: str) -> Line:
    """`notes/a.md:12`, or by what its readers count: `papers/a.pdf#page=7  page 7`."""
    place, position = f"{hit.collection}/{hit.uri}", hit.position
    lines = f"{hit.start_line}-{hit.end_line}"
    if position.shown:
        place += position.anchor
        shown = f"  {position.shown}" + (f"  {position.address}" if position.address else "")
        return Part(place, "place", place), Part(shown, "dim"), Part(f", lines {lines}{about}", DETAIL)
    link = None if hit.kind == Kind.COMMIT else place
    address = (Part(f"  {position.address}", "dim"),) if position.address else ()
    return Part(f"{place}:{hit.start_line}", "place", link), Part(f"-{hit.end_line}{about}", DETAIL), *address


def _steps(steps: Iterable[Step]) -> Iterator[Line]:
    rows = [(Part(f"{INDENT}  {step.stage}"), Part(f"rank {step.rank}"), Part(_score(step))) for step in steps]
    yield from (tuple(part._replace(style="dim") for part in line) for line in columns(rows))


def _score(step: Step) -> str:
    return f"score {step.score:.4f}" + (f"  {step.detail}" if step.detail else "")


def stage_lines(trace: Iterable[StageTrace]) -> Iterator[Line]:
    names = ("stage", "shape", "received", "returned", "ms", "")
    rows = [tuple(Part(name, "dim") for name in names)]
    for stage in trace:
        failed, skipped = stage.failed, stage.skipped
        note = f"failed: {failed}" if failed else f"skipped: {skipped}" if skipped else _detail(stage)
        style = "bad" if failed else "warn" if skipped else ""
        figures = (f"{stage.received:,}", f"{stage.returned:,}", f"{stage.took_ms:.1f}")
        rows.append((Part(stage.stage), Part(stage.shape), *map(Part, figures), Part(note, style)))
    yield from columns(rows)


def in_words(value: object) -> str:
    """
    >>> in_words({"dense": 1.0, "lexical": 0.01211}), in_words(["sync", "set"]), in_words(3)
    ('dense 1, lexical 0.0121', 'sync, set', '3')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {in_words(part)}" for name, part in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(in_words, value))
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _detail(stage: StageTrace) -> str:
    return ", ".join(f"{name} {_rounded(value)}" for name, value in stage.detail.items())


def _rounded(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{name}={_rounded(inner)}" for name, inner in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _footer(answer: SearchAnswer) -> str:
    found = count(len(answer.hits), "hit")
    return " · ".join([f"{found} in {duration(answer.took_ms / 1e3)}", answer.profile, *_state(answer.freshness)])


def _state(freshness: Freshness) -> Iterator[str]:
    yield count(freshness.documents, "document")
    if freshness.pending:
        yield f"{count(freshness.pending, 'chunk')} without a full vector yet"
    if freshness.failed:
        yield f"{count(freshness.failed, 'file')} failed"
    if freshness.queued:
        yield f"{count(freshness.queued, 'change')} on disk not looked at yet"


def _checked(freshness: Freshness) -> Line:
    if freshness.age_seconds is None:
        return ()
    return (Part(f" · compared with the disk {age(freshness.age_seconds)} ago", DETAIL),)
