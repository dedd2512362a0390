"""The lexical index in use: pg_search where it is configured and available, else the built-in posting lists."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Literal

from octavo.errors import OctavoError
from octavo.fast_dataclass import Value
from octavo.model.ids import ProjectId
from octavo.model.prepared_document import LexicalField
from octavo.model.query import Filters, Terms
from octavo.model.search_result import ScoredChunk
from octavo.observability.logs import logger
from octavo.sql_repositories.filter_parameters import filter_parameters
from octavo.sql_repositories.projects_and_collections import KeyCache
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.pg_search import Bm25Index, Capability, UnsupportedQuery, detected, ensure_bm25_index
from octavo_postgres.posting_list_search import PostingsIndex

LexicalBackend = Literal["auto", "postings", "pg_search"]

CACHE_SECONDS = 60.0  # how soon servers notice that an index was built, or that pg_search broke


class _CachedCapability(Value):
    capability: Capability
    at: float


class LexicalChoice(PostingsIndex):
    """Fits `ports.ChoosingIndex` too: posting lists, of whose searches pg_search answers those that it can."""

    def __init__(self, database: PostgresDatabase, keys: KeyCache, wanted: LexicalBackend = "auto") -> None:
        super().__init__(database, keys)
        self._wanted = wanted
        self._bm25 = Bm25Index(database)
        self._detecting = threading.Lock()
        self._cached: _CachedCapability | None = None
        self._local = threading.local()

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[ScoredChunk, ...]:
        how = self.capability()
        self._local.answered = f"postings: {how.reason}" if self._wanted != "postings" else "postings"
        if how.usable and limit > 0 and not terms.empty:
            try:
                with self._database.reading():
                    chunks = self._search_bm25(how, project, terms, filters, limit, fields)
                self._local.answered = f"pg_search {how.version} ({how.operator}, {how.score})"
                return chunks
            except UnsupportedQuery as error:
                self._local.answered = f"postings: {error}"
            except OctavoError as error:
                if self._database.writing:
                    raise  # the transaction is lost, and its owner has to know
                self._cache(Capability(how.version, reason=f"pg_search failed: {error.message}"))
                self._local.answered = f"postings: pg_search failed: {error.message}"
                logger("postgres").warning("pg_search failed, so postings answer: %s", error.message)
        return super().search(project, terms, filters, limit, fields)

    def answered(self) -> str:
        """The backend of this thread's last search, and the reason if it was the fallback."""
        return str(getattr(self._local, "answered", ""))

    def capability(self) -> Capability:
        """What the server can do, looked up once a minute."""
        if self._wanted == "postings":
            return Capability(reason="the configuration says postings")
        with self._detecting:
            cached = self._cached
        if cached is None or time.monotonic() - cached.at > CACHE_SECONDS:
            return self._cache(detected(self._database))
        return cached.capability

    def build_index(self) -> bool:
        """After indexing: builds what pg_search needs, where the configuration names it."""
        if self._wanted != "pg_search" or not ensure_bm25_index(self._database):
            return False
        self._cache(detected(self._database))
        return True

    def _search_bm25(
        self,
        how: Capability,
        project: ProjectId,
        terms: Terms,
        filters: Filters,
        limit: int,
        fields: Sequence[LexicalField],
    ) -> tuple[ScoredChunk, ...]:
        owner = self._keys.project(project)
        admitted = None
        if not filters.empty:
            rows = self._database.rows(
                "chunks_admitted", {"project": owner} | filter_parameters(filters, self._database, owner)
            )
            admitted = [row[0] for row in rows]
        return self._bm25.search(how, owner, terms, admitted, limit, fields)

    def _cache(self, capability: Capability) -> Capability:
        with self._detecting:
            self._cached = _CachedCapability(capability, time.monotonic())
        return capability
