"""A passage is worth more where the passages around it answer too."""

from __future__ import annotations

from dataclasses import dataclass

from recto.model.ids import ChunkKey
from recto.model.result import Candidate
from recto.retrieval.stage import Search, SkipStage, in_order
from recto.retrieval.stages.steps import noted


@dataclass(frozen=True, slots=True)
class ContextSmoothing:
    """Adds to each candidate a share of what its neighbours among the candidates scored.

    `document` are the shares of chunks one, two… places away in a document of at least `long_document` chunks;
    `sequence` are those of the documents beside a one-chunk document in a conversation or a journal. Short documents
    are left alone: there the neighbours are the document itself, and it would be counted twice.

    What counts is how far a neighbour stands above the average candidate: one below it adds nothing, and none takes
    away. Only the best `among` candidates are raised.
    """

    document: tuple[float, ...] = (0.2, 0.1)
    sequence: tuple[float, ...] = (0.5, 0.3, 0.2)
    long_document: int = 6
    among: int = 128
    name: str = "context"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if not candidates:
            raise SkipStage("there are no candidates")
        average = sum(one.score for one in candidates) / len(candidates)
        above = {one.key: max(0.0, one.score - average) for one in candidates}
        reach = max(len(self.document), len(self.sequence))
        best = [one.key for one in candidates[: self.among]]
        near = search.library.store.documents.neighbours(search.library.project, best, reach)
        gained: dict[ChunkKey, float] = {}
        for one in near:
            answers = above.get(one.neighbour)
            if not answers:
                continue
            shares = self._shares(one.chunks)
            place = abs(one.distance) - 1
            if place < len(shares):
                gained[one.key] = gained.get(one.key, 0.0) + shares[place] * answers
        raised = {key: gain for key, gain in gained.items() if gain > 0.0}
        if not raised:
            raise SkipStage("no candidate has a neighbour that answers too")
        search.notes["raised"] = len(raised)
        ordered = in_order(
            [one.scored(one.score + raised[one.key]) if one.key in raised else one for one in candidates]
        )
        return noted(ordered, self.name, {key: f"+{gain:.3f} from neighbours" for key, gain in raised.items()})

    def _shares(self, chunks: int) -> tuple[float, ...]:
        if chunks == 1:
            return self.sequence
        return self.document if chunks >= self.long_document else ()
