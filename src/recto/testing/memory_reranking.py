"""What rerankers have said, in memory: no part of a transaction, because it is true whatever becomes of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recto.model.ids import ProjectId
from recto.stores.shared.clock import Clock
from recto.testing.memory_tables import Session, known_project

_Key = tuple[ProjectId, str, str, str]


class MemoryRerankScores:
    """Fits `ports.RerankScores`."""

    def __init__(self, session: Session, clock: Clock) -> None:
        self._session = session
        self._clock = clock
        self._held: dict[_Key, tuple[float, float]] = {}

    def known(self, project: ProjectId, model: str, question: str, passages: Sequence[str]) -> Mapping[str, float]:
        known_project(self._session.read(), project)
        found = {passage: self._held.get((project, model, question, passage)) for passage in passages}
        return {passage: held[0] for passage, held in found.items() if held is not None}

    def put(self, project: ProjectId, model: str, question: str, scores: Mapping[str, float]) -> None:
        known_project(self._session.read(), project)
        now = self._clock()
        for passage, score in scores.items():
            self._held[project, model, question, passage] = (score, now)

    def prune(self, project: ProjectId, keep: int) -> int:
        known_project(self._session.read(), project)
        mine = sorted((key for key in self._held if key[0] == project), key=lambda key: (-self._held[key][1], key))
        for key in mine[keep:]:
            del self._held[key]
        return len(mine[keep:])
