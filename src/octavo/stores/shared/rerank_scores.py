"""A cache of reranker scores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from octavo.model.ids import ProjectId
from octavo.stores.shared.clock import Clock
from octavo.stores.shared.database import Database, value
from octavo.stores.shared.projects import KeyCache


class RerankScoreRepository:
    """Fits `ports.RerankScores`."""

    def __init__(self, database: Database, keys: KeyCache, clock: Clock) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock

    def known(self, project: ProjectId, model: str, question: str, passages: Sequence[str]) -> Mapping[str, float]:
        where = {
            "project": self._keys.project(project),
            "model": model,
            "question": question,
            "passages": json.dumps(passages),
        }
        return {digest.lower(): score for digest, score in self._database.rows("rerank_scores_known", where)}

    def put(self, project: ProjectId, model: str, question: str, scores: Mapping[str, float]) -> None:
        row = {
            "project": self._keys.project(project),
            "model": model,
            "question": question,
            "now": self._clock(),
        }
        with self._database.transaction():
            self._database.run_many(
                "rerank_score_put", (row | {"passage": passage, "score": score} for passage, score in scores.items())
            )

    def prune(self, project: ProjectId, keep: int) -> int:
        where = {"project": self._keys.project(project)}
        before = int(value(self._database, "rerank_scores_count", where))
        self._database.run("rerank_scores_prune", where | {"keep": keep})
        return before - int(value(self._database, "rerank_scores_count", where))
