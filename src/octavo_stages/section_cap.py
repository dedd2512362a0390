"""Drops hits beyond a limit for each section, which the first titles of the heading path name."""

from __future__ import annotations

from collections import Counter

from octavo.fast_dataclass import dataclass
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage


@dataclass(frozen=True, slots=True)
class CapPerSection:
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
