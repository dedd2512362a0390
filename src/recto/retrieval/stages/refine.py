"""Refinements that shape the list: caps and span merging."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from recto.model.result import Candidate
from recto.model.text import Lines
from recto.retrieval.stage import Search, in_order


@dataclass(frozen=True, slots=True)
class CapPerDocument:
    """No document takes more than `limit` places."""

    limit: int = 3
    name: str = "cap_per_document"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        taken: Counter[str] = Counter()
        kept = []
        for one in candidates:
            taken[one.document_id] += 1
            if taken[one.document_id] <= self.limit:
                kept.append(one)
        return tuple(kept)


@dataclass(frozen=True, slots=True)
class MergeSpans:
    """Hits of one document whose spans touch, or nearly, become one that keeps the better one's score and heading.

    Only as many candidates as the query asks for are looked at: what would not be shown does not stretch a hit. A
    hit does not grow beyond `longest` characters, so that a citation stays a place and not a document.
    """

    gap: int = 200
    longest: int = 2400
    name: str = "merge_spans"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        shown, rest = list(candidates[: search.query.limit]), list(candidates[search.query.limit :])
        merged: list[Candidate] = []
        for one in sorted(shown, key=lambda one: (one.document_id, one.span.start)):
            last = merged[-1] if merged else None
            if last and self._touch(last, one):
                merged[-1] = _joined(last, one)
            else:
                merged.append(one)
        # Merging frees places: what comes next moves up.
        return in_order(merged + rest)

    def _touch(self, last: Candidate, one: Candidate) -> bool:
        near = last.document_id == one.document_id and one.span.start <= last.span.end + self.gap
        return near and (one.span.start < last.span.end or one.span.end - last.span.start <= self.longest)


def _joined(first: Candidate, second: Candidate) -> Candidate:
    best = first if first.score >= second.score else second
    lines = Lines(min(first.lines.first, second.lines.first), max(first.lines.last, second.lines.last))
    return best._replace(span=first.span.union(second.span), lines=lines)
