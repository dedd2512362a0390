"""Port: the access tokens of a library's server, and the log of what was written with each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from octavo.model.access_token import AccessToken, AuditedWrite
    from octavo.model.ids import ProjectId


class AccessTokens(Protocol):
    """Tokens by name, and the writes that were made with them."""

    def put(self, token: AccessToken) -> None:
        """Inside a transaction."""

    def tokens(self) -> tuple[AccessToken, ...]:
        """By name, revoked ones too."""

    def by_hash(self, digest: str) -> AccessToken | None: ...

    def revoke(self, name: str, at: float) -> None:
        """Inside a transaction. One that is revoked already stays so."""

    def note_write(self, project: ProjectId, write: AuditedWrite) -> None:
        """In a transaction of its own."""

    def writes(self, limit: int, who: str = "") -> tuple[AuditedWrite, ...]:
        """The newest first."""
