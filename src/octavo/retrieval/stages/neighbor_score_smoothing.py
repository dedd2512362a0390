"""Context smoothing: a passage scores higher when its neighbours score well too."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.document import Kind
from octavo.model.ids import ChunkKey, DocumentId
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import noted, subject_of, texts_of

_ASKS = regex("[?？؟]")
_END = 100
"""Characters of a turn in which it asks: an emoji, a picture or a word may follow the question."""


@dataclass(frozen=True, slots=True)
class ContextSmoothing:
    """Adds to each candidate a share of what its neighbours among the candidates scored.

    `document` are the shares of chunks one, two… places away in a document of at least `long_document` chunks;
    `sequence` and `following` are those of the turns before and after one in a conversation, and of the documents
    around a one-chunk document in a journal: an answer is understood by the question before it, more than a question
    by its answer. `answer` comes on top where the turn before asks something. A turn of `usual_length` characters gains
    all of it, one of a quarter half of it, a long one `longest` times it at most: "Thanks!" says nothing, whatever was
    said around it; with a `usual_length` of 0 all gain alike. Short documents are left alone: there the neighbours are
    the document itself, and it would be counted twice. In code the neighbours are chunks of one declaration: what is
    declared around it is something else.

    What counts is how far a neighbour stands above the average candidate: one below it adds nothing, and none takes
    away. Only the best `among` candidates are raised.
    """

    document: tuple[float, ...] = (0.2, 0.1)
    sequence: tuple[float, ...] = (0.2, 0.4, 0.2, 0.2)
    following: tuple[float, ...] = (0.25, 0.25)
    answer: float = 0.6
    usual_length: int = 180
    longest: float = 1.6
    long_document: int = 6
    among: int = 400
    name: str = "context"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if not candidates:
            raise SkipStage("there are no candidates")
        average = sum(candidate.score for candidate in candidates) / len(candidates)
        above = {candidate.key: candidate.score - average for candidate in candidates if candidate.score > average}
        known = {candidate.key: candidate for candidate in candidates}
        near = sorted(self._near(search, candidates, above))
        asking = self._asking(search, {neighbour: known[neighbour] for _, neighbour, _, step in near if step == -1})
        gained: dict[ChunkKey, float] = {}
        for key, neighbour, share, step in near:
            if step:
                share += self.answer * (step == -1 and neighbour in asking)
                share *= self._of_length(known[key])
            gained[key] = gained.get(key, 0.0) + share * above[neighbour]
        raised = {key: gain for key, gain in gained.items() if gain > 0.0}
        if not raised:
            raise SkipStage("no candidate has a neighbour that answers too")
        search.notes["raised"] = len(raised)
        ordered = in_order(
            [
                candidate.scored(candidate.score + raised[candidate.key]) if candidate.key in raised else candidate
                for candidate in candidates
            ]
        )
        return noted(ordered, self.name, {key: f"+{gain:.3f} from neighbours" for key, gain in raised.items()})

    def _near(
        self, search: Search, candidates: tuple[Candidate, ...], above: Mapping[ChunkKey, float]
    ) -> Iterator[tuple[ChunkKey, ChunkKey, float, int]]:
        """Of the best candidates: each with a neighbour that answers, the share it gets, and of turns how far it is.

        The library is asked only how long the documents are in which two candidates stand near each other, and what
        stands beside the documents of a series.
        """
        places: dict[tuple[DocumentId, int], dict[int, ChunkKey]] = {}
        for candidate in candidates:
            if candidate.key in above:
                places.setdefault(subject_of(candidate), {})[candidate.ordinal] = candidate.key
        passages, turns = _by_step(self.document, self.document), _by_step(self.sequence, self.following)
        pairs = [
            (candidate, keys_at[candidate.ordinal + step], share, step)
            for candidate in candidates[: self.among]
            # Most stand alone in their document.
            if (keys_at := places.get(subject_of(candidate))) and (len(keys_at) > 1 or candidate.ordinal not in keys_at)
            for step, share in (turns if candidate.kind is Kind.CONVERSATION else passages).items()
            if candidate.ordinal + step in keys_at
        ]
        lengths = search.library.lengths(
            {chunk.document_id: chunk.key for chunk, *_ in pairs if chunk.kind is not Kind.CONVERSATION}
        )
        for chunk, neighbour, share, step in pairs:
            if chunk.kind is Kind.CONVERSATION:
                yield chunk.key, neighbour, share, step
            elif lengths.get(chunk.document_id, 0) >= self.long_document:
                yield chunk.key, neighbour, share, 0
        series = sorted(candidate.key for candidate in candidates[: self.among] if candidate.in_series)
        documents, reach = search.library.store.documents, max(len(self.sequence), len(self.following))
        for near in documents.neighbours(search.library.project, series, reach) if series else ():
            if near.chunks == 1 and near.neighbour in above and near.distance in turns:
                yield near.key, near.neighbour, turns[near.distance], near.distance

    def _asking(self, search: Search, turns: Mapping[ChunkKey, Candidate]) -> frozenset[ChunkKey]:
        """Those that ask something at their end."""
        texts = texts_of(search, [*turns.values()]) if self.answer and turns else ()
        return frozenset(key for key, text in zip(turns, texts, strict=False) if _ASKS.search(text[-_END:]))

    def _of_length(self, turn: Candidate) -> float:
        if not self.usual_length:
            return 1.0
        return min(self.longest, math.sqrt((turn.span.end - turn.span.start) / self.usual_length))


def _by_step(before: Sequence[float], after: Sequence[float]) -> dict[int, float]:
    """The share that each neighbour gives, by how many places it stands before or after."""
    return {-far: share for far, share in enumerate(before, 1)} | dict(enumerate(after, 1))
