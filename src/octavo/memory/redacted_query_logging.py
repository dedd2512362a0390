"""Logs a query with its keys and tokens redacted."""

from __future__ import annotations

from octavo.model.ids import ProjectId
from octavo.model.query_log import LoggedQuery
from octavo.sources.secret_redaction import redacted
from octavo.sql_repositories.store import Store


def keep_query(store: Store, project: ProjectId, query: LoggedQuery) -> None:
    store.query_log.put(project, query._replace(query=redacted(query.query)[0]))
