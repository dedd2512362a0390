"""Leases, in memory: no part of a transaction, because who works on a library changes nothing in it."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from recto.model.ids import ProjectId
from recto.model.lease import Lease
from recto.stores.shared.clock import Clock
from recto.testing.memory_tables import Session, known_project


class MemoryLeases:
    """Fits `ports.Leases`."""

    def __init__(self, session: Session, clock: Clock) -> None:
        self._session = session
        self._clock = clock
        self._guard = threading.Lock()
        self._held: dict[tuple[ProjectId, str], Lease] = {}

    def take(
        self,
        project: ProjectId,
        name: str,
        holder: str,
        seconds: float,
        detail: Mapping[str, Any],
        *,
        over: str | None = None,
    ) -> Lease:
        with self._guard:
            held = self.current(project, name)
            if held is not None and held.holder not in (holder, over):
                return held
            now = self._clock()
            self._held[project, name] = Lease(project, name, holder, now, now + seconds, _plain(detail))
            return self._held[project, name]

    def renew(self, lease: Lease, seconds: float, detail: Mapping[str, Any]) -> bool:
        with self._guard:
            held = self._mine(lease)
            if held is None:
                return False
            renewed = replace(held, expires_at=self._clock() + seconds, detail=_plain(detail))
            self._held[lease.project_id, lease.name] = renewed
            return True

    def release(self, lease: Lease) -> None:
        with self._guard:
            if self._mine(lease) is not None:
                del self._held[lease.project_id, lease.name]

    def current(self, project: ProjectId, name: str) -> Lease | None:
        held = self._held.get((known_project(self._session.read(), project), name))
        return held if held is not None and held.expires_at > self._clock() else None

    def _mine(self, lease: Lease) -> Lease | None:
        held = self._held.get((lease.project_id, lease.name))
        return held if held is not None and held.holder == lease.holder else None


def _plain(detail: Mapping[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(detail, sort_keys=True))
    return plain
