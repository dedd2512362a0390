"""Caps the hits of each document, and merges hits of one section whose spans touch or nearly touch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain, pairwise

from octavo.fast_dataclass import dataclass
from octavo.model.document import Kind
from octavo.model.normalised_text_and_spans import Lines
from octavo.model.search_result import Candidate
from octavo.retrieval.cited_section_choice import parts_of, sections_at
from octavo.retrieval.stage import Search, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import subject_of

_SUBJECT = 2  # words


@dataclass(frozen=True, slots=True)
class CapPerDocument:
    """No document takes more than `limit` places, and one more for every `per_chunks` of its chunks, if that is given.
    A declaration counts by itself, and turns of a talk do not count.

    After what else there is come the further passages of a declaration, which its best one leads to, and, where one or
    two words name a subject, all but the best `declarations` of a file of code.
    """

    limit: int = 3
    declarations: int = 4
    per_chunks: int = 0
    name: str = "cap_per_document"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        taken = defaultdict(int, Counter(map(subject_of, search.before)))
        shown = defaultdict(int, Counter(candidate.document_id for candidate in search.before))
        few = len(search.query.terms.words) <= _SUBJECT
        chunks = {candidate.document_id: candidate.key for candidate in candidates} if self.per_chunks else {}
        lengths = search.library.lengths(chunks) if chunks else {}
        kept: list[Candidate] = []
        later: list[Candidate] = []
        for candidate in candidates:
            whole, kind, document = subject_of(candidate), candidate.kind, candidate.document_id
            taken[whole] = place = taken[whole] + 1
            more = lengths.get(document, 0) // self.per_chunks if lengths else 0
            if place <= self.limit + more or kind is Kind.CONVERSATION:
                shown[document] = number = shown[document] + 1
                again = place > 1 and candidate.section > 0
                beyond = kind is Kind.CODE and (again or (few and number > self.declarations))
                (later if beyond else kept).append(candidate)
        lowest = kept[-1].score if kept else 0.0
        return (*kept, *(candidate.scored(min(candidate.score, lowest)) for candidate in later))


@dataclass(frozen=True, slots=True)
class MergeSpans:
    """Hits of one section whose spans touch, or nearly, become one that keeps the better one's score.

    Sections and declarations stay apart, however deep: a citation names one of them, and shows the hit there alone.

    The candidates are looked at `among` at a time: what stands far below a hit does not stretch it, and how many are
    asked for changes none. A hit does not grow beyond `longest` characters, so that a citation stays a place and not a
    document. Where filters or exclusions split documents, no gap is bridged in which a chunk stands: it may be one
    that was refused.
    """

    gap: int = 200
    longest: int = 2400
    among: int = 10
    name: str = "merge_spans"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        merged: list[Candidate] = []
        among = max(1, self.among)
        groups = [candidates[start : start + among] for start in range(0, len(candidates), among)]
        touching = []
        for place, group in enumerate(groups):
            near = []
            if len({candidate.document_id for candidate in group}) < len(group):  # most groups have none twice
                groups[place] = group = tuple(sorted(group, key=_in_documents))
                near = [
                    (last.document_id, last.span.union(next_.span))
                    for last, next_ in pairwise(group)
                    if self._fit(last, next_)
                ]
            touching.append(near)
        # All at once, with what hits are cited by: those of a hit that grows further are asked for by themselves.
        if any(touching):
            places = [(candidate.document_id, candidate.span) for candidate in candidates[: search.query.limit]]
            sections_at(search.library, [*chain.from_iterable(touching), *places])
        for group, near in zip(groups, touching, strict=True):
            merged += self._merged(search, group) if near else group
        # Merging frees places: what comes next moves up.
        return in_order(merged)

    def _merged(self, search: Search, some: Sequence[Candidate]) -> list[Candidate]:
        merged: list[Candidate] = []
        reached = 0  # the ordinal of the last chunk in the hit that is growing
        for candidate in some:
            last = merged[-1] if merged else None
            if (
                last
                and self._fit(last, candidate)
                and _is_of_one_section(search, last, candidate)
                and (not search.splits_documents or _nothing_between(last, reached, candidate))
            ):
                reached = candidate.ordinal if candidate.span.end >= last.span.end else reached
                merged[-1] = _joined(last, candidate)
            else:
                reached = candidate.ordinal
                merged.append(candidate)
        return merged

    def _fit(self, last: Candidate, candidate: Candidate) -> bool:
        near = (
            last.document_id == candidate.document_id
            and last.section == candidate.section
            and candidate.span.start <= last.span.end + self.gap
        )
        return near and (candidate.span.end <= last.span.end or candidate.span.end - last.span.start <= self.longest)


def _in_documents(candidate: Candidate) -> tuple[str, int]:
    return candidate.document_id, candidate.span.start


def _is_of_one_section(search: Search, last: Candidate, candidate: Candidate) -> bool:
    """Whether no section begins or ends inside of both together: a chunk's own may be above `max_heading_depth`."""
    both = last.span.union(candidate.span)
    (sections,) = sections_at(search.library, [(last.document_id, both)])
    return len(parts_of(sections, both)) < 2


def _nothing_between(last: Candidate, reached: int, reached_document: Candidate) -> bool:
    return reached_document.span.start <= last.span.end or reached_document.ordinal == reached + 1


def _joined(first: Candidate, second: Candidate) -> Candidate:
    best = first if first.score >= second.score else second
    lines = Lines(min(first.lines.first, second.lines.first), max(first.lines.last, second.lines.last))
    return best._replace(span=first.span.union(second.span), lines=lines)
