"""What a search returns: hits with exact citations, and a trace of how they were found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import count, repeat
from operator import itemgetter
from typing import Any, NamedTuple

from octavo.fast_dataclass import Value
from octavo.model.converted_file import NOWHERE, Position
from octavo.model.document import Kind
from octavo.model.ids import ChunkId, ChunkKey, DocumentId
from octavo.model.normalised_text_and_spans import Lines, Span
from octavo.model.score_rounding import rounded


class ScoreStep(NamedTuple):
    """The score and rank one stage gave one candidate."""

    stage: str
    score: float
    rank: int
    detail: str = ""


class Copy(NamedTuple):
    """Where the text of a hit stands once more."""

    collection: str
    uri: str
    line: int


class Candidate(NamedTuple):
    """A chunk being ranked. `span` grows when neighbours are merged into it."""

    key: ChunkKey
    chunk_id: ChunkId
    document_id: DocumentId
    collection: str
    uri: str
    kind: Kind
    title: str
    heading_path: tuple[str, ...]
    span: Span
    lines: Lines
    text_hash: str
    modified_at: float
    in_series: bool = False
    """Whether its document belongs to a series: a turn of a conversation, a day of a journal."""
    ordinal: int = 0
    """Its position among the chunks of its document."""
    section: int = 0
    """The position of its section among those of its document; 0 is the text outside of all."""
    language: str | None = None
    content_type: str = "prose"
    copies: tuple[Copy, ...] = ()
    """Where the same text stands, in places that were left out because this one is shown."""
    score: float = 0.0
    steps: tuple[ScoreStep, ...] = ()

    @property
    def is_turn(self) -> bool:
        """Whether it means little without what stands around it."""
        return self.in_series or self.kind is Kind.CONVERSATION

    @property
    def places(self) -> tuple[tuple[str, str], ...]:
        """Collection and uri of its document, and of those with a copy of it, which its hit names."""
        return (self.collection, self.uri), *((copy.collection, copy.uri) for copy in self.copies)

    def scored(self, score: float, steps: tuple[ScoreStep, ...] | None = None) -> Candidate:
        """A copy with another score, rounded; in a quarter of the time of `_replace`, as every stage rescores all."""
        return tuple.__new__(Candidate, (*self[:-2], rounded(score), self[-1] if steps is None else steps))

    def with_steps(self, steps: tuple[ScoreStep, ...]) -> Candidate:
        return tuple.__new__(Candidate, (*self[:-1], steps))


class ScoredChunk(NamedTuple):
    """A chunk's key with a channel's score, before anything else about it is loaded."""

    key: ChunkKey
    score: float


def scored_chunks(keys: Iterable[int], scores: Iterable[float]) -> tuple[ScoredChunk, ...]:
    """Keys with their scores, in half of the time of as many calls: every channel of every search needs a hundred."""
    return tuple(map(tuple.__new__, repeat(ScoredChunk), zip(keys, scores, strict=True)))


def ranked_steps(stage: str, scored: Sequence[ScoredChunk]) -> Iterator[tuple[ChunkKey, ScoreStep]]:
    """The step that each chunk of a ranking has from it; in half of the time of as many calls, too."""
    steps = zip(repeat(stage), map(_score, scored), count(1), repeat(""))
    return zip(map(_key, scored), map(tuple.__new__, repeat(ScoreStep), steps), strict=True)


def best_first(scores: Iterable[tuple[ChunkKey, float]], limit: int | None = None) -> tuple[ScoredChunk, ...]:
    """The ranking that keys with their scores make: scores rounded, equal ones in the order of their keys."""
    ordered = [(key, rounded(score)) for key, score in scores]
    ordered.sort(key=_key)
    ordered.sort(key=_score, reverse=True)
    return tuple(map(tuple.__new__, repeat(ScoredChunk), ordered[:limit]))


_key, _score = itemgetter(0), itemgetter(1)


class Ranking(Value):
    """One channel's chunks, best first; for every channel a higher score is better."""

    channel: str
    scored: tuple[ScoredChunk, ...]
    beyond: float = 0.0
    """An upper bound on the score of chunks not in the list, where one is known; else 0."""
    fast: float = 0.0
    """The share of them that has only a fast vector so far."""
    trust: float = 1.0
    """How much the channel could make of the query, between 0 and 1."""


class Citation(Value):
    """The source of a hit: its document, the section or declaration that contains all of its span, and the span.

    `sections` are those it covers, where it is more than one. Of code, `symbol` is the declaration's qualified name and
    `symbol_kind` what it declares: function, method, class…
    """

    uri: str
    heading_path: tuple[str, ...]
    span: Span
    lines: Lines
    anchor: str = ""
    sections: tuple[tuple[str, ...], ...] = ()
    symbol: str | None = None
    symbol_kind: str | None = None
    position: Position = NOWHERE
    """Its page, slide, sheet or time in the original file, where that has one."""


class Publication(NamedTuple):
    """The publication that a file is: how papers cite it, and how people do."""

    key: str
    reference: str


class CommitFacts(NamedTuple):
    """Who made the commit that a hit is in, and the files it changed, by their paths in the collection."""

    author: str
    files: tuple[str, ...]


class Hit(Value):
    """One passage of the answer, with its exact text and citation."""

    rank: int
    score: float
    collection: str
    kind: Kind
    title: str
    citation: Citation
    excerpt: str
    excerpt_truncated: bool
    chunk_id: ChunkId
    document_id: DocumentId
    modified_at: float
    steps: tuple[ScoreStep, ...] = ()
    copies: tuple[Copy, ...] = ()
    stale: str | None = None
    """`changed` or `gone` when its file changed or disappeared since it was indexed; else None."""
    language: str | None = None
    content_type: str = "prose"
    matched: tuple[str, ...] = ()
    """What found it: lexical, dense, symbol, place, graph."""
    version: int | None = None
    """The version of its document that says so, where it is not the current one."""
    more: int = 0
    """Of the first hit of a document, how many further ones the answer has of it."""
    library: str | None = None
    """The name of the library it is from, where several were searched."""
    work: Publication | None = None
    """The publication that its file is, where a bibliography near it says so."""
    commit: CommitFacts | None = None


NO_TIME_FOR = "no_time_for"
"""What the detail of a stage calls the passages that a deadline kept it from reading."""


class StageTrace(Value):
    """What one stage received, returned and took; `skipped` or `failed` gives the reason it did nothing."""

    stage: str
    shape: str
    received: int
    returned: int
    took_ms: float
    skipped: str | None = None
    failed: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    damage: bool | None = None
    """True where it failed because the library is damaged, which indexing again may mend."""
    repeatable: bool | None = None
    """False where it may do otherwise again: a deadline cut it short, or a service did not answer."""

    @property
    def unread(self) -> int:
        """How many passages a deadline kept it from reading."""
        return int(self.detail.get(NO_TIME_FOR, 0))


class Freshness(Value):
    """How complete the searched index was. `full_vectors` is a share between 0 and 1.

    `pending` chunks have no vector yet, `failed` files could not be read, `queued` paths changed and await indexing;
    the folders were last compared with the library `age_seconds` ago, if ever. Vectors that are pending are computed
    in `seconds_left`, where somebody is at it.
    """

    documents: int
    pending: int
    failed: int
    full_vectors: float
    queued: int = 0
    age_seconds: int | None = None
    seconds_left: int | None = None


class Result(Value):
    """The answer to a query: its hits, how they were found, and how fresh the index was."""

    query: str
    profile: str
    hits: tuple[Hit, ...]
    trace: tuple[StageTrace, ...]
    freshness: Freshness
    took_ms: float
    cursor: str | None = None
    """Pass it with the same query for the hits that exceeded the budget; None when there are none."""
    degraded: tuple[str, ...] = ()
    """What was searched without, and why: `dense: ollama at http://… does not answer`."""
    calibrated: bool = False
    """Whether the scores of the hits are relevances between 0 and 1; else they only order the hits."""
    repeatable: bool = True
    """Whether the same question gets the same answer again: not where a deadline or a silent service had a say."""
    excluding: str | None = None
    """Of a query without a hit: which of its filters lets nothing through."""
    did_you_mean: str | None = None
    """The query with its misspelt words as the library spells them."""
    in_english: str = ""
    """Of a question in another language: the English words that were looked for too."""

    @property
    def marked_by(self) -> str:
        """The query whose words are marked in the hits."""
        return f"{self.query} {self.in_english}".strip()
