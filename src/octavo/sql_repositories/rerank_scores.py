"""Reranker scores in SQL by model, question and passage hash; the oldest are pruned."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from octavo.model.ids import ProjectId
from octavo.sql_repositories.database_port import value
from octavo.sql_repositories.projects_and_collections import ProjectRepository


class RerankScoreRepository(ProjectRepository):
    """What rerankers have said before, by hashes of question and passage."""

    def known(self, project: ProjectId, model: str, question: str, passages: Sequence[str]) -> Mapping[str, float]:
        return {
            digest.lower(): score
            for digest, score in self._rows(
                "rerank_scores_known", project, model=model, question=question, passages=json.dumps(passages)
            )
        }

    def put(self, project: ProjectId, model: str, question: str, scores: Mapping[str, float]) -> None:
        row = self._in(project, model=model, question=question, now=self._clock())
        with self._database.transaction():
            self._database.run_many(
                "rerank_score_put", (row | {"passage": passage, "score": score} for passage, score in scores.items())
            )

    def prune(self, project: ProjectId, keep: int) -> int:
        """Forgets the oldest beyond `keep`; how many there were. Inside a transaction."""
        where = self._in(project)
        before = int(value(self._database, "rerank_scores_count", where))
        self._database.run("rerank_scores_prune", where | {"keep": keep})
        return before - int(value(self._database, "rerank_scores_count", where))
