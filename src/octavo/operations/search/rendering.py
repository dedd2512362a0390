"""A search's answer as lines: every hit with its place and its text; the few lines a language model is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from octavo.algorithms.model_inputs.prompt_quotations import QUOTED_LINES
from octavo.algorithms.text.time_parsing_and_formatting import age
from octavo.engine.search.index_freshness import learning
from octavo.fast_dataclass import replace
from octavo.model.document import Kind, shown_path
from octavo.model.score_rounding import SAYS_NOTHING
from octavo.model.search_result import Freshness, StageTrace
from octavo.operations.search.language_model_excerpts import answering_lines
from octavo.operations.search.results import FoundHit, SearchAnswer, Step
from octavo.operations.styled_answer_lines import (
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
    lines,
    more,
    written,
)
from octavo.operations.token_counts_and_page_cursor import size, text_room

INDENT = "   "
_NAMED = 3  # copies of a hit
_CODE = frozenset({Kind.CODE, Kind.CONFIG})
_MODEL_BYTES = 3_500  # of all hits in the text for a model; with what stands around them, 4 kB
_MODEL_HIT_BYTES = 700  # of one hit where there are few
_FIRST_HITS, _FIRST_SHARE = 3, 2  # the first hits are shown with twice as much
_GENEROUS = (3.0, 2.2, 1.7, 1.4, 1.2, 1.0, 0.85, 0.7, 0.5, 0.3, 0.0)
_LEAST_BYTES = 90  # of a hit's text, however long its path
_MODEL_PATH = 100  # characters of a heading path: its end says most
_STALE = {"changed": "changed since", "gone": "no longer there"}


def search_lines(answer: SearchAnswer) -> Iterator[Block]:
    explain = answer.trace is not None
    first = {hit.document_id: hit for hit in reversed(answer.hits)}
    for hit in answer.hits:
        if explain or hit is first[hit.document_id]:
            yield from hit_lines(hit, explain=explain)
            if not explain:
                others = (other for other in answer.hits if other.document_id == hit.document_id and other is not hit)
                yield from map(_folded, others)
            yield ()
    if message := _no_match(answer):
        yield (Part(message),)
    if answer.trace is not None:
        yield from stage_lines(answer.trace)
        yield ()
        if answer.hits and all(hit.score is None for hit in answer.hits):
            yield (Part(f"{answer.profile} is not calibrated for this model: its scores only order.", "dim"),)
    yield from degraded_lines(answer.degraded, answer.excluding)
    yield (Part(_footer(answer), "dim"), *_checked(answer.freshness))
    yield from more(answer.next_cursor)


def search_model_lines(answer: SearchAnswer) -> Iterator[Block]:
    """For a language model, which pays for every word: places, what stands there, and how to read on.

    With a trace, everything: who asks for that wants to know. A text whose length was said makes use of it.
    """
    if answer.trace is not None:
        yield from search_lines(answer)
        return
    hits = [hit for hit in answer.hits if hit.score is None or hit.score >= SAYS_NOTHING]
    tail = [*_behind_hits(answer, hits)]
    most = text_room()
    if most is None:
        yield from _model_hits(hits, answer.marked_by, _MODEL_BYTES, _MODEL_HIT_BYTES)
    else:
        room = most - size(written(tail)) - size(QUOTED_LINES) - 2
        # Whole lines and sentences are shown, which may take less than their share: then all get more.
        ways = ([*_model_hits(hits, answer.marked_by, int(room * more), room)] for more in _GENEROUS)
        shown = ways if hits else iter(([],))
        yield from next((blocks for blocks in shown if size("\n".join(lines(blocks))) <= room), [])
    yield from tail


def _model_hits(hits: Sequence[FoundHit], query: str, most: int, each: int) -> Iterator[Block]:
    """Hits in so many bytes, of which none gets more than `each`, or twice that where it is one of the first."""
    shares = [_FIRST_SHARE if number < _FIRST_HITS else 1 for number in range(len(hits))]
    for hit, share in zip(hits, shares, strict=True):
        yield from _model_hit(hit, query, min(each * share, most * share // sum(shares)))


def _behind_hits(answer: SearchAnswer, hits: Sequence[FoundHit]) -> Iterator[Line]:
    if message := _no_match(answer if hits else replace(answer, hits=())):
        yield (Part(message),)
    yield from degraded_lines(answer.degraded, answer.excluding)
    state = [*_state(answer.freshness)][1:]
    if state:
        yield (Part(f"Not all is searched as well as it will be: {', '.join(state)}."),)
    if hits:
        yield (Part(f'Read on: get reference="{hits[0].citation}"'),)
    yield from more(answer.next_cursor)


def _model_hit(hit: FoundHit, query: str, room: int) -> Iterator[Block]:
    path = hit.symbol or shown_path(hit.heading_path[1:] if hit.heading_path[:1] == (hit.title,) else hit.heading_path)
    named = (path or hit.title)[-_MODEL_PATH:]
    notes = [] if hit.score is None else [f"{hit.score:.2f}"]
    notes += filter(None, (_STALE.get(hit.stale or ""), _made_by(hit)))
    if hit.also_in:
        notes.append(f"also in {hit.also_in[0]}" + (f" and {len(hit.also_in) - 1} more" if hit.also_in[1:] else ""))
    page = f"  {hit.position.shown}" if hit.position.shown else ""
    head = f"{hit.rank}. {hit.citation}{page}  {named}  {', '.join(notes)}".rstrip()
    yield (Part(head),)
    yield from answering_lines(
        hit.excerpt,
        hit.start_line,
        query,
        max(room - len(head), _LEAST_BYTES),
        titles=(hit.title, *hit.heading_path),
        declares=hit.symbol is not None,
    )


def hit_lines(hit: FoundHit, *, explain: bool) -> Iterator[Block]:
    title = hit.title or hit.uri
    score = () if hit.score is None else (FILL, Part(f"{hit.score:.2f}", "dim"))
    yield Part(f"{hit.rank}. ".ljust(len(INDENT)), "dim"), Part(title, "title"), *score
    # The first heading most often is the title, which has just been read.
    below = shown_path(hit.heading_path[1:] if hit.heading_path[:1] == (hit.title,) else hit.heading_path)
    if below:
        yield Part(INDENT), Part(below, "heading")
    yield (Part(INDENT), *_place(hit), *((Part(f"  {_STALE[hit.stale]}", "warn"),) if hit.stale else ()))
    if hit.reference:
        yield (Part(f"{INDENT}[{hit.citation_key}] {hit.reference}", "dim"),)
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


def _no_match(answer: SearchAnswer) -> str:
    """That there is no hit, and what may have been meant. What is still to be learnt, the footer says."""
    to_come = answer.freshness.pending and not answer.excluding
    none = "" if answer.hits else "No match so far." if to_come else "No match."
    return f"{none} Did you mean: {answer.did_you_mean}".lstrip() if answer.did_you_mean else none


def _folded(hit: FoundHit) -> Line:
    """A further passage of a document, with its own number, below the best one."""
    below = hit.heading_path[-1] if hit.heading_path and hit.heading_path[-1] != hit.title else ""
    place = hit.position.anchor if hit.position.shown else f":{hit.start_line}"
    score = () if hit.score is None else (FILL, Part(f"{hit.score:.2f}", "dim"))
    return (
        Part(f"{INDENT}{hit.rank}. ", "dim"),
        Part(place, "place"),
        Part(f"  {below}" if below else "", "heading"),
        *score,
    )


def _place(hit: FoundHit) -> Line:
    """`notes/a.md:12`, or by what its readers count: `papers/a.pdf#page=7  page 7`."""
    place, position = f"{hit.collection}/{hit.uri}", hit.position
    if position.shown:
        place += position.anchor
        shown = f"  {position.shown}" + (f"  {position.address}" if position.address else "")
        return Part(place, "place", place), Part(shown, "dim")
    link = None if hit.kind == Kind.COMMIT else place
    about = position.address or _made_by(hit)
    address = (Part(f"  {about}", "dim"),) if about else ()
    return Part(f"{place}:{hit.start_line}", "place", link), Part(f"-{hit.end_line}", DETAIL), *address


def _made_by(hit: FoundHit) -> str:
    """`2026-02-20 · Ann`: when a commit was made, and by whom."""
    return f"{hit.modified_at[:10]} · {hit.author.partition(' <')[0]}" if hit.author else ""


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
    summary = count(len(answer.hits), "hit")
    return " · ".join([f"{summary} in {duration(answer.took_ms / 1e3)}", answer.profile, *_state(answer.freshness)])


def _state(freshness: Freshness) -> Iterator[str]:
    yield count(freshness.documents, "document")
    if message := learning(freshness):
        yield message
    if freshness.failed:
        yield f"{count(freshness.failed, 'file')} failed"
    if freshness.queued and freshness.age_seconds is None:
        yield "folders still being read for the first time"
    elif freshness.queued:
        yield f"{count(freshness.queued, 'change')} on disk not looked at yet"


def _checked(freshness: Freshness) -> Line:
    if freshness.age_seconds is None:
        return ()
    return (Part(f" · compared with the disk {age(freshness.age_seconds)} ago", DETAIL),)
