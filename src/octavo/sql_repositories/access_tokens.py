"""Tokens by name, and the writes that were made with them."""

from __future__ import annotations

import json
from typing import Any

from octavo.model.access_token import AccessScope, AccessToken, AuditedWrite
from octavo.model.ids import ProjectId
from octavo.sql_repositories.database_port import first
from octavo.sql_repositories.projects_and_collections import ProjectRepository


class AccessRepository(ProjectRepository):
    """Tokens by name, and the writes that were made with them."""

    def put(self, token: AccessToken) -> None:
        """Inside a transaction."""
        values = {
            "name": token.name,
            "hash": token.hash,
            "scope": token.scope.value,
            "projects": json.dumps(token.projects),
            "rate": token.rate,
            "created_at": token.created_at,
            "expires_at": token.expires_at,
        }
        self._database.run("access_token_put", values)

    def tokens(self) -> tuple[AccessToken, ...]:
        """By name, revoked ones too."""
        return tuple(map(_token, self._database.rows("access_tokens", {})))

    def by_hash(self, digest: str) -> AccessToken | None:
        row = first(self._database, "access_token_by_hash", {"hash": digest})
        return None if row is None else _token(row)

    def revoke(self, name: str, at: float) -> None:
        """Inside a transaction. One that is revoked already stays so."""
        self._database.run("access_token_revoke", {"name": name, "at": at})

    def note_write(self, project: ProjectId, write: AuditedWrite) -> None:
        """In a transaction of its own."""
        values = {"at": write.at, "who": write.caller, "operation": write.operation, "outcome": write.outcome}
        with self._database.transaction():
            self._database.run("write_audit_put", values | self._in(project))

    def writes(self, limit: int, who: str = "") -> tuple[AuditedWrite, ...]:
        """The newest first."""
        rows = self._database.rows("write_audit_entries", {"limit": limit, "who": who})
        return tuple(AuditedWrite(*row) for row in rows)


def _token(row: tuple[Any, ...]) -> AccessToken:
    name, digest, scope, projects, *rest = row
    return AccessToken(name, digest, AccessScope(scope), tuple(json.loads(projects)), *rest)
