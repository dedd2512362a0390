"""What a search hands back: hits that cite exactly, and a trace that says how they came to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recto.model.document import Kind
from recto.model.ids import ChunkId, ChunkKey, DocumentId
from recto.model.text import Lines, Span


class ScoreStep(NamedTuple):
    """What one stage said of one candidate."""

    stage: str
    score: float
    rank: int
    detail: str = ""


class Candidate(NamedTuple):
    """A chunk on its way to becoming a hit. `span` grows when neighbours are merged into it."""

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
    """Of a document that is one of a series: a turn of a conversation, a day of a journal."""
    ordinal: int = 0
    """Its place among the chunks of its document."""
    score: float = 0.0
    steps: tuple[ScoreStep, ...] = ()

    def scored(self, score: float, steps: tuple[ScoreStep, ...] | None = None) -> Candidate:
        """The same with another score: what `_replace` gives, in a quarter of its time. Every stage does it to all."""
        return tuple.__new__(Candidate, (*self[:-2], score, self[-1] if steps is None else steps))


class Scored(NamedTuple):
    """A chunk's key with a channel's score, before anything else about it is looked up."""

    key: ChunkKey
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """One channel's answer, best first. `higher is better` holds for every channel."""

    channel: str
    scored: tuple[Scored, ...]
    beyond: float = 0.0
    """What a chunk that is not among them scores at most, where that is known and not nothing."""
    fast: float = 0.0
    """The share of them that has only a fast vector yet."""


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a hit stands: its document, the headings above it, and its exact place."""

    uri: str
    heading_path: tuple[str, ...]
    span: Span
    lines: Lines


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage of the answer, with its exact text and where it stands."""

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
    stale: str | None = None
    """`changed` or `gone`: what became of its file since it was indexed; None when nothing did."""


@dataclass(frozen=True, slots=True)
class StageTrace:
    """What one stage received, returned and took; `skipped` or `failed` says why it did nothing."""

    stage: str
    shape: str
    received: int
    returned: int
    took_ms: float
    skipped: str | None = None
    failed: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Freshness:
    """How much of what was asked about the answer could see. `full_vectors` is a share between 0 and 1.

    `pending` chunks have no vector yet, `failed` files could not be read, `queued` paths are known to have changed and
    wait to be looked at; `age_seconds` ago the folders were last compared with the library, if ever.
    """

    documents: int
    pending: int
    failed: int
    full_vectors: float
    queued: int = 0
    age_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to a query: its hits, how they came to be, and how fresh they are."""

    query: str
    profile: str
    hits: tuple[Hit, ...]
    trace: tuple[StageTrace, ...]
    freshness: Freshness
    took_ms: float
    cursor: str | None = None
    """What to ask with for the hits that did not fit the query's budget; None when there are none."""
