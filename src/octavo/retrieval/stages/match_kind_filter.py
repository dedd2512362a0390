"""Filters candidates by the channel that found them, such as words or meaning."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass
from octavo.model.query import Matching
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage

_CHANNELS = {
    "lexical": Matching.LEXICAL,
    "typos": Matching.LEXICAL,
    "phrase": Matching.LEXICAL,
    "title": Matching.LEXICAL,
    "dense": Matching.DENSE,
    "dense_clusters": Matching.DENSE,
    "dense_outline": Matching.DENSE,
    "dense_feedback": Matching.DENSE,
    "dense_hypothesis": Matching.DENSE,
    "dense_sections": Matching.DENSE,
    "dense_files": Matching.DENSE,
    "symbols": Matching.SYMBOL,
    "places": Matching.PLACE,
    "graph": Matching.GRAPH,
    "neighbour_boost": Matching.GRAPH,
}


def matched(candidate: Candidate) -> tuple[str, ...]:
    """The channels that found a candidate, each once."""
    return tuple(dict.fromkeys(_CHANNELS[step.stage] for step in candidate.steps if step.stage in _CHANNELS))


@dataclass(frozen=True, slots=True)
class MatchedBy:
    """Keeps what one of the named channels found: `lexical`, `dense`, `symbol`, `place` or `graph`."""

    channels: tuple[str, ...] = ()
    name: str = "matched_by"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if not self.channels:
            raise SkipStage("no channel is named")
        kept = tuple(candidate for candidate in candidates if not set(self.channels).isdisjoint(matched(candidate)))
        search.notes["dropped"] = len(candidates) - len(kept)
        return kept
