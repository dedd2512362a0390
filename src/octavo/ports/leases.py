"""Leases: the exclusive right to a piece of work, taken, renewed and given back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from octavo.model.ids import ProjectId
    from octavo.model.lease import Lease


class Leases(Protocol):
    """Exclusive rights to work for a limited time. Every call is a transaction of its own and moves no generation."""

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

    def renew(self, lease: Lease, seconds: float, detail: Mapping[str, Any]) -> bool:
        """Whether the lease was still held; if so it now lasts longer."""

    def release(self, lease: Lease) -> bool:
        """Ends the lease; whether it was still held."""

    def current(self, project: ProjectId, name: str) -> Lease | None:
        """The lease in force; None when there is none or it ran out."""
