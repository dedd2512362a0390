"""The log of queries: what was asked, shown and opened."""

from __future__ import annotations

import json

from octavo.model.ids import ChunkId, DocumentId, ProjectId
from octavo.model.query_log import LoggedQuery, ShownHit
from octavo.sql_repositories.database_port import first, value
from octavo.sql_repositories.projects_and_collections import ProjectRepository

_ALL = 2**62
_NEVER = 1e18  # seconds: later than any moment


class QueryLogRepository(ProjectRepository):
    """Searches with what they showed and what was opened. Nothing is in it unless `log.queries` is on. A search
    only reads: what is logged of it makes no other generation."""

    def put(self, project: ProjectId, query: LoggedQuery) -> None:
        """Writes one down, in a transaction of its own."""
        owner = self._in(project)
        with self._database.transaction():
            self._database.run(
                "query_log_put", owner | {"at": query.at, "query": query.query, "profile": query.profile}
            )
            key = int(value(self._database, "query_log_newest", owner))
            self._database.run_many(
                "query_log_hit_put",
                (
                    {**owner, "query": key, "rank": rank, "document": hit.document, "chunk": hit.chunk}
                    for rank, hit in enumerate(query.hits, 1)
                ),
            )

    def open(self, project: ProjectId, document: DocumentId, since: float) -> bool:
        """Notes that a document was read, at the newest query since then that showed it; False where none did."""
        where = self._in(project, document=document, since=since)
        with self._database.transaction():
            row = first(self._database, "query_log_showing", where)
            if row is not None:
                self._database.run(
                    "query_log_open", {"project": where["project"], "query": row[0], "document": document}
                )
        return row is not None

    def entries(self, project: ProjectId, limit: int | None = None) -> tuple[LoggedQuery, ...]:
        """The newest first."""
        where = self._in(project, limit=_ALL if limit is None else limit)
        rows = self._database.rows("query_log_entries", where)
        shown: dict[int, list[ShownHit]] = {}
        opened: dict[int, dict[DocumentId, None]] = {}
        keys = json.dumps([row[0] for row in rows])
        for query, document, chunk, read in self._database.rows(
            "query_log_hits", {"project": where["project"], "keys": keys}
        ):
            shown.setdefault(query, []).append(ShownHit(DocumentId(document), ChunkId(chunk)))
            if read:
                opened.setdefault(query, {})[DocumentId(document)] = None
        return tuple(
            LoggedQuery(at, text, profile, tuple(shown.get(key, ())), tuple(opened.get(key, ())))
            for key, at, text, profile in rows
        )

    def clear(self, project: ProjectId, before: float | None = None) -> int:
        """Forgets what was asked, or what was asked before a moment; how many queries. Inside a transaction."""
        where = self._in(project, before=_NEVER if before is None else before)
        count = int(value(self._database, "query_log_count", where))
        self._database.run("query_log_clear", where)
        return count
