"""Leases: exclusive rights to a piece of work, across all processes that have the library open."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from octavo.model.ids import ProjectId
from octavo.model.job import Lease
from octavo.sql_repositories.database_port import first
from octavo.sql_repositories.projects_and_collections import ProjectRepository


class LeaseRepository(ProjectRepository):
    """Exclusive rights to work for a limited time. Every call is a transaction of its own and moves no generation:
    leases do not change the content of a library."""

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
        """The lease that is in force now: the caller's, unless somebody else's lasts.

        `over` is a holder known to be gone, whose lease need not be waited for.
        """
        with self._database.transaction():
            current = self.current(project, name)
            if current is not None and current.holder not in (holder, over):
                return current
            now = self._clock()
            lease = Lease(project, name, holder, now, now + seconds, dict(detail))
            row = self._where(project, name, holder) | {"now": now} | _body(lease.expires_at, detail)
            self._database.run("lease_take", row)
            return lease

    def renew(self, lease: Lease, seconds: float, detail: Mapping[str, Any]) -> bool:
        """Whether the lease was still held; if so it now lasts longer."""
        where = self._where(lease.project_id, lease.name, lease.holder)
        with self._database.transaction():
            if first(self._database, "lease_owned", where) is None:
                return False
            self._database.run("lease_renew", where | _body(self._clock() + seconds, detail))
            return True

    def release(self, lease: Lease) -> bool:
        """Ends the lease; whether it was still held."""
        where = self._where(lease.project_id, lease.name, lease.holder)
        with self._database.transaction():
            owned = first(self._database, "lease_owned", where) is not None
            self._database.run("lease_release", where)
        return owned

    def current(self, project: ProjectId, name: str) -> Lease | None:
        """The lease in force; None when there is none or it ran out."""
        row = self._first("lease_current", project, name=name, now=self._clock())
        return Lease(project, name, row[0], row[1], row[2], json.loads(row[3])) if row else None

    def _where(self, project: ProjectId, name: str, holder: str) -> dict[str, Any]:
        return self._in(project, name=name, holder=holder)


def _body(expires_at: float, detail: Mapping[str, Any]) -> dict[str, Any]:
    return {"expires_at": expires_at, "detail": json.dumps(detail, ensure_ascii=False, sort_keys=True)}
