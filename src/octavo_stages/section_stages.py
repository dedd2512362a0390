"""Sections of hits: one in a small section is read with the whole one around it; beyond a limit for each, hits go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from octavo.fast_dataclass import Value
from octavo.model.document import Section
from octavo.model.ids import ChunkKey
from octavo.model.normalised_text_and_spans import LineIndex, Span
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage
from octavo.retrieval.stages.candidate_scores_and_texts import noted


class ParentExpansion(Value):
    """A hit grows to the largest section around its start that has at most `most` characters.

    The first `among` candidates are looked at. Hits that grow into the same place become one. A hit
    does not grow over a chunk that filters or exclusions refused.
    """

    most: int = 1500
    among: int = 100
    name: str = "parent_expansion"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        shown, rest = candidates[: self.among], candidates[self.among :]
        documents, project = search.library.store.documents, search.library.project
        sections = {candidate.document_id: documents.sections(project, candidate.document_id) for candidate in shown}
        texts = documents.texts(project, {candidate.text_hash for candidate in shown})
        grown: list[Candidate] = []
        details: dict[ChunkKey, str] = {}
        for candidate in shown:
            if any(_covers(other, candidate) for other in (*search.before, *grown)):
                continue
            text = texts[candidate.text_hash]
            refused = _refused(search, candidate, self.most)
            section, span = _parent(candidate.span, sections[candidate.document_id], text, self.most, refused)
            if section is not None:
                details[candidate.key] = f"from {candidate.span.length} to {span.length} characters"
                lines = LineIndex(text).lines(span.start, span.end)
                candidate = candidate._replace(span=span, lines=lines, heading_path=section.path)
            grown.append(candidate)
        search.notes |= {"grown": len(details), "absorbed": len(shown) - len(grown)}
        return (*noted(grown, self.name, details), *rest)


def _refused(search: Search, candidate: Candidate, reach: int) -> list[Span]:
    """Where chunks stand near this one that filters or exclusions did not let through."""
    if search.admitted is None or not search.splits_documents:
        return []
    documents, project = search.library.store.documents, search.library.project
    near = {neighbour.neighbour for neighbour in documents.neighbours(project, [candidate.key], reach)}
    barred = sorted(near.difference(search.admitted.tolist()))
    others = documents.candidates(project, barred).values()
    return [other.span for other in others if other.document_id == candidate.document_id]


def _parent(
    span: Span, sections: Sequence[Section], text: str, most: int, refused: Sequence[Span]
) -> tuple[Section | None, Span]:
    """The largest fitting section that holds the span's start, and the two together; None when nothing is gained."""
    best: Section | None = None
    widest = span
    for section in sections:
        if section.span.start <= span.start < section.span.end:
            # Sections run up to the next heading; the blank lines before it say nothing.
            end = section.span.start + len(section.span.of(text).rstrip())
            whole = span.union(Span(section.span.start, end))
            gained = (Span(whole.start, span.start), Span(span.end, whole.end))
            if widest.length < whole.length <= most and not any(
                _meet(taken, part) for taken in refused for part in gained
            ):
                best, widest = section, whole
    return best, widest


def _meet(one: Span, other: Span) -> bool:
    return max(one.start, other.start) < min(one.end, other.end)


def _covers(grown: Candidate, candidate: Candidate) -> bool:
    same = grown.document_id == candidate.document_id
    return same and grown.span.start <= candidate.span.start and candidate.span.end <= grown.span.end


class CapPerSection(Value):
    """No section takes more than `limit` places. The first `depth` titles of a heading path name the section."""

    limit: int | None = 3
    depth: int = 2
    name: str = "cap_per_section"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if self.limit is None:
            raise SkipStage("there is no limit")
        taken = Counter(map(self._section, search.before))
        kept = []
        for candidate in candidates:
            section = self._section(candidate)
            taken[section] += 1
            if taken[section] <= self.limit:
                kept.append(candidate)
        search.notes["dropped"] = len(candidates) - len(kept)
        return tuple(kept)

    def _section(self, candidate: Candidate) -> tuple[str, ...]:
        return candidate.document_id, *candidate.heading_path[: self.depth]
