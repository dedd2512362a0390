"""Removes candidates with equal texts; the best one stays and lists the removed ones.

A search by words alone has this stage too, so nothing here needs numpy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from octavo.fast_dataclass import dataclass
from octavo.model.ids import ChunkKey
from octavo.model.search_result import Candidate, Copy
from octavo.retrieval.stage import Search, SkipStage
from octavo.retrieval.stages.candidate_scores_and_texts import given_title, noted, texts_of

_NAMED = 3  # of those a candidate stands for; the others are counted


@dataclass(frozen=True, slots=True)
class ExactDuplicates:
    """The same text but for blanks around it, and below the same title where both begin their documents."""

    among: int = 100
    name: str = "exact_duplicates"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if search.query.terms.empty and search.narrowed:
            raise SkipStage("the query lists documents")
        first: dict[tuple[str, str], int] = {}
        looked_at = candidates[: self.among]
        passages = zip(looked_at, texts_of(search, looked_at), strict=True)
        places = [
            first.setdefault((title_above(candidate), text.strip()), place)
            for place, (candidate, text) in enumerate(passages)
        ]
        return without_copies(search, candidates, places, self.name)


def title_above(candidate: Candidate) -> str:
    """The title a passage is read under, where it begins its document and the title is not the name of the file.

    Two commits that list the same files, or two records with the same few words, differ by their titles alone.
    """
    return "" if candidate.ordinal else given_title(candidate)


def without_copies(
    search: Search, candidates: tuple[Candidate, ...], places: Sequence[int], stage: str
) -> tuple[Candidate, ...]:
    """Those at their own place, in order; `places` covers the first candidates, the rest stays."""
    repeats: dict[ChunkKey, list[Copy]] = {}
    for place, first in enumerate(places):
        if first != place:
            candidate = candidates[place]
            copy = Copy(candidate.collection, candidate.uri, candidate.lines.first)
            repeats.setdefault(candidates[first].key, []).append(copy)
    kept = [candidates[place] for place, first in enumerate(places) if first == place]
    search.notes["dropped"] = len(places) - len(kept)
    if not repeats:
        return candidates
    kept = [
        candidate._replace(copies=(*candidate.copies, *repeats[candidate.key]))
        if candidate.key in repeats
        else candidate
        for candidate in kept
    ]
    return noted([*kept, *candidates[len(places) :]], stage, _details(repeats))


def _details(repeats: Mapping[ChunkKey, Sequence[Copy]]) -> dict[ChunkKey, str]:
    return {
        key: f"stands for {', '.join(f'{copy.uri}:{copy.line}' for copy in copies[:_NAMED])}"
        + (f" and {len(copies) - _NAMED} more" * (len(copies) > _NAMED))
        for key, copies in repeats.items()
    }
