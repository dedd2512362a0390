"""A stage that prefers the documents of one folder."""

from __future__ import annotations

from dataclasses import dataclass

from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage, in_order


@dataclass(frozen=True, slots=True)
class PreferFolder:
    """Candidates below `folder` are worth `factor` times as much. A profile's TOML sets the fields."""

    folder: str = ""
    factor: float = 1.5
    name: str = "prefer_folder"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if not self.folder:
            raise SkipStage("no folder is named")
        prefix = self.folder.rstrip("/") + "/"
        return in_order(
            [
                candidate.scored(candidate.score * self.factor) if candidate.uri.startswith(prefix) else candidate
                for candidate in candidates
            ]
        )
