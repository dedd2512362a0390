"""Hits as clients get them: stable names and exact offsets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from typing import Any

from octavo.algorithms.text.time_parsing_and_formatting import when
from octavo.fast_dataclass import Value, replace
from octavo.model.converted_file import NOWHERE, Position, place
from octavo.model.normalised_text_and_spans import short
from octavo.model.score_rounding import shown
from octavo.model.search_result import Freshness, Hit, Result, ScoreStep, StageTrace

_SECTIONS = 8  # that a hit lists of those it covers
_COPIES = 10  # named with a hit; a licence may stand in a thousand files


class Step(Value):
    """What one stage said of a hit."""

    stage: str
    score: float
    rank: int
    detail: str | None = None


class FoundHit(Value):
    """A passage: where it is, and its exact text. Lines count from 1, characters from 0.

    `score` is a relevance from 0 to 1, left out where the profile's scores only order its hits. `also_in` are places of
    the same text, which are no hits of their own. `more` is how many further hits are of its document, of the first one
    alone. `version` is that of a past text, which `get` reads with it. `path` is the file on this machine, told to
    Python alone. `author` is of a commit, whose `modified_at` is when it was made.

    `citation_key` and `reference` are of the publication that its file is, where a bibliography near it
    says so. `library` is where it is from, when several were searched: its collection then begins with that name.
    """

    rank: int
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
    content_type: str = "prose"
    matched: tuple[str, ...] = ()
    language: str | None = None
    symbol: str | None = None
    symbol_kind: str | None = None
    anchor: str | None = None
    sections: tuple[tuple[str, ...], ...] | None = None
    score: float | None = None
    also_in: tuple[str, ...] | None = None
    more: int | None = None
    version: int | None = None
    stale: str | None = None
    steps: tuple[Step, ...] | None = None
    page: int | None = None
    pages: tuple[int, ...] | None = None
    slide: int | None = None
    sheet: str | None = None
    time: str | None = None
    url: str | None = None
    doi: str | None = None
    ocr: bool | None = None
    citation_key: str | None = None
    reference: str | None = None
    path: str | None = None
    library: str | None = None
    author: str | None = None

    @property
    def citation(self) -> str:
        """`notes/a.md:7-12`, which `get` reads."""
        return f"{self.collection}/{self.uri}:{self.start_line}-{self.end_line}"

    def __str__(self) -> str:
        return f"{self.citation}\n{self.excerpt}"

    @property
    def place(self) -> str:
        return place(f"{self.collection}/{self.uri}", self.start_line, self.position)

    @property
    def position(self) -> Position:
        return Position(self.page, self.pages, self.slide, self.sheet, self.time, self.url, self.doi, self.ocr)


class SearchAnswer(Value):
    """`next_cursor` is there when more hits were found than fit; `trace` when it was asked for, `query` if short.

    `degraded` names what could not be searched, with the reason. `repeatable` is false where a deadline or a service
    that did not answer had a say: asked again, the same question may be answered differently. `did_you_mean` is the
    query with its misspelt words as the library spells them; `excluding` says which filter of a query without a hit
    lets nothing through. `in_english` has the English words by which a question in another language was answered."""

    profile: str
    took_ms: float
    hits: tuple[FoundHit, ...]
    freshness: Freshness
    next_cursor: str | None = None
    trace: tuple[StageTrace, ...] | None = None
    query: str | None = None
    degraded: tuple[str, ...] | None = None
    repeatable: bool | None = None
    did_you_mean: str | None = None
    excluding: str | None = None
    in_english: str | None = None

    @property
    def marked_by(self) -> str:
        """The query whose words are marked in the hits."""
        return f"{self.query or ''} {self.in_english or ''}".strip()

    def __iter__(self) -> Iterator[FoundHit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, place: int) -> FoundHit:
        return self.hits[place]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.hits)) or "No match."

    def to_frame(self, library: str | None = None) -> Any:
        """As a table of pandas or Polars, a row for each hit: of the one that is named, else of what is installed."""
        return import_module("octavo.operations.jupyter_display").hits_frame(self, library)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        html: str = import_module("octavo.operations.jupyter_display").hits_table(self)
        return html


def whole_answer(result: Result, *, explain: bool, steps: bool = True) -> SearchAnswer:
    """Every hit, however long the answer gets: for a terminal or a page. `explain` adds the trace, `steps` those of the
    hits."""
    hits = tuple(found_hit(hit, result, explain=steps) for hit in result.hits)
    return replace(without_hits(result, explain=explain), hits=hits)


def without_hits(result: Result, *, explain: bool) -> SearchAnswer:
    return SearchAnswer(
        profile=result.profile,
        took_ms=round(result.took_ms, 3),
        hits=(),
        freshness=replace(result.freshness, full_vectors=round(result.freshness.full_vectors, 4)),
        trace=result.trace if explain else None,
        query=result.query,
        degraded=result.degraded or None,
        repeatable=None if result.repeatable else False,
        did_you_mean=result.did_you_mean,
        excluding=result.excluding,
        in_english=result.in_english or None,
    )


def found_hit(hit: Hit, result: Result, *, explain: bool) -> FoundHit:
    citation = hit.citation
    return FoundHit(
        rank=hit.rank,
        score=shown(hit.score) if result.calibrated else None,
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
        content_type=hit.content_type,
        matched=hit.matched,
        language=hit.language,
        symbol=citation.symbol,
        symbol_kind=citation.symbol_kind,
        anchor=citation.anchor or None,
        sections=tuple(tuple(short(title) for title in path) for path in citation.sections[:_SECTIONS]) or None,
        also_in=tuple(f"{copy.collection}/{copy.uri}:{copy.line}" for copy in hit.copies[:_COPIES]) or None,
        more=hit.more or None,
        version=hit.version,
        stale=hit.stale,
        steps=tuple(map(_step, hit.steps)) if explain else None,
        library=hit.library,
        citation_key=hit.work.key if hit.work else None,
        reference=hit.work.reference if hit.work else None,
        author=hit.commit.author or None if hit.commit else None,
        **(_NOWHERE if citation.position is NOWHERE else asdict(citation.position)),
    )


_NOWHERE = asdict(NOWHERE)
"""Of most hits: only pages, slides and the like have a position."""


def _step(step: ScoreStep) -> Step:
    return Step(step.stage, shown(step.score), step.rank, step.detail or None)
