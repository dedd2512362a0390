"""Context smoothing: a passage scores higher when its neighbours score well too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from octavo.fast_dataclass import dataclass
from octavo.model.document import Kind
from octavo.model.ids import ChunkKey, DocumentId
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import noted, subject_of


@dataclass(frozen=True, slots=True)
class ContextSmoothing:
    """Adds to each candidate a share of what its neighbours among the candidates scored.

    `document` are the shares of chunks one, two… places away in a document of at least `long_document` chunks;
    `sequence` and `following` are those of the turns before and after one in a conversation, and of the documents
    around a one-chunk document in a journal: an answer is understood by the question before it, more than a question
    by its answer. Short documents are left alone: there the neighbours are the document itself, and it would be
    counted twice. In code the neighbours are chunks of one declaration: what is declared around it is something else.

    What counts is how far a neighbour stands above the average candidate: one below it adds nothing, and none takes
    away. Only the best `among` candidates are raised.
    """

    document: tuple[float, ...] = (0.2, 0.1)
    sequence: tuple[float, ...] = (0.5, 0.5, 0.25, 0.25)
    following: tuple[float, ...] = (0.25, 0.25)
    long_document: int = 6
    among: int = 400
    name: str = "context"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if not candidates:
            raise SkipStage("there are no candidates")
        average = sum(candidate.score for candidate in candidates) / len(candidates)
        above = {candidate.key: candidate.score - average for candidate in candidates if candidate.score > average}
        gained: dict[ChunkKey, float] = {}
        for key, _, share, answers in sorted(self._near(search, candidates, above)):
            gained[key] = gained.get(key, 0.0) + share * answers
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
    ) -> Iterator[tuple[ChunkKey, ChunkKey, float, float]]:
        """Of the best candidates: each with a neighbour that answers, the share it gets, and how well that answers.

        The library is asked only how long the documents are in which two candidates stand near each other, and what
        stands beside the documents of a series.
        """
        places: dict[tuple[DocumentId, int], dict[int, ChunkKey]] = {}
        for candidate in candidates:
            if candidate.key in above:
                places.setdefault(subject_of(candidate), {})[candidate.ordinal] = candidate.key
        passages, turns = _by_step(self.document, self.document), _by_step(self.sequence, self.following)
        pairs = [
            (candidate, keys_at[candidate.ordinal + step], share)
            for candidate in candidates[: self.among]
            # Most stand alone in their document.
            if (keys_at := places.get(subject_of(candidate))) and (len(keys_at) > 1 or candidate.ordinal not in keys_at)
            for step, share in (turns if candidate.kind is Kind.CONVERSATION else passages).items()
            if candidate.ordinal + step in keys_at
        ]
        lengths = search.library.lengths(
            {chunk.document_id: chunk.key for chunk, _, _ in pairs if chunk.kind is not Kind.CONVERSATION}
        )
        for chunk, neighbour, share in pairs:
            if chunk.kind is Kind.CONVERSATION or lengths.get(chunk.document_id, 0) >= self.long_document:
                yield chunk.key, neighbour, share, above[neighbour]
        series = sorted(candidate.key for candidate in candidates[: self.among] if candidate.in_series)
        documents, reach = search.library.store.documents, max(len(self.sequence), len(self.following))
        for near in documents.neighbours(search.library.project, series, reach) if series else ():
            if near.chunks == 1 and near.neighbour in above and near.distance in turns:
                yield near.key, near.neighbour, turns[near.distance], above[near.neighbour]


def _by_step(before: Sequence[float], after: Sequence[float]) -> dict[int, float]:
    """The share that each neighbour gives, by how many places it stands before or after."""
    return {-far: share for far, share in enumerate(before, 1)} | dict(enumerate(after, 1))
