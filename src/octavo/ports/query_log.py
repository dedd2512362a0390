"""Port of the query log: searches, what they showed, and what was opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from octavo.model.ids import DocumentId, ProjectId
    from octavo.model.query_log import LoggedQuery


class QueryLog(Protocol):
    """Searches with what they showed and what was opened. Nothing is in it unless `log.queries` is on."""

    def put(self, project: ProjectId, query: LoggedQuery) -> None:
        """Writes one down, in a transaction of its own."""

    def open(self, project: ProjectId, document: DocumentId, since: float) -> bool:
        """Notes that a document was read, at the newest query since then that showed it; False where none did."""

    def entries(self, project: ProjectId, limit: int | None = None) -> tuple[LoggedQuery, ...]:
        """The newest first."""

    def clear(self, project: ProjectId, before: float | None = None) -> int:
        """Forgets what was asked, or what was asked before a moment; how many queries. Inside a transaction."""
