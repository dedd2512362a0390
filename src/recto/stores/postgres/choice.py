"""Who answers for words: pg_search where it is wanted and can, or else our own postings, which always can."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from recto.errors import RectoError
from recto.model.ids import ChunkKey, ProjectId
from recto.model.index import LexicalField, LexicalRow
from recto.model.query import Filters, Terms
from recto.model.result import Scored
from recto.observability.logs import logger
from recto.stores.postgres.bm25 import Bm25Index, CannotSay, settle_bm25
from recto.stores.postgres.database import PostgresDatabase
from recto.stores.postgres.lexical import PostingsIndex
from recto.stores.postgres.pg_search import Capability, detected
from recto.stores.shared.filters import filter_parameters
from recto.stores.shared.projects import Keys

Wanted = Literal["auto", "postings", "pg_search"]

_REMEMBERED = 60.0  # seconds: so long after an index was made, or pg_search broke, do servers find out


@dataclass(frozen=True, slots=True)
class _Seen:
    capability: Capability
    at: float


class LexicalChoice:
    """Fits `ports.LexicalIndex` and `ports.ChoosingIndex`."""

    def __init__(self, database: PostgresDatabase, keys: Keys, wanted: Wanted = "auto") -> None:
        self._database = database
        self._keys = keys
        self._wanted = wanted
        self._postings = PostingsIndex(database, keys)
        self._bm25 = Bm25Index(database)
        self._guard = threading.Lock()
        self._seen: _Seen | None = None
        self._local = threading.local()

    def put(self, project: ProjectId, rows: Sequence[tuple[ChunkKey, LexicalRow]]) -> None:
        self._postings.put(project, rows)

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[Scored, ...]:
        how = self.capability()
        self._local.answered = f"postings: {how.reason}" if self._wanted != "postings" else "postings"
        if how.usable and limit > 0 and not terms.empty:
            try:
                with self._database.reading():
                    found = self._ask(how, project, terms, filters, limit, fields)
                self._local.answered = f"pg_search {how.version} ({how.operator}, {how.score})"
                return found
            except CannotSay as error:
                self._local.answered = f"postings: {error}"
            except RectoError as error:
                if self._database.writing:
                    raise  # the transaction is lost, and whoever holds it has to know
                self._remember(Capability(how.version, reason=f"pg_search failed: {error.message}"))
                self._local.answered = f"postings: pg_search failed: {error.message}"
                logger("postgres").warning("pg_search failed, so postings answer: %s", error.message)
        return self._postings.search(project, terms, filters, limit, fields)

    def containing(self, project: ProjectId, phrase: Sequence[str]) -> Sequence[ChunkKey]:
        return self._postings.containing(project, phrase)

    def similar(self, project: ProjectId, token: str, limit: int) -> Sequence[str]:
        return self._postings.similar(project, token, limit)

    def answered(self) -> str:
        """Who answered this thread's last search, and why, if that was not who could have."""
        return str(getattr(self._local, "answered", ""))

    def capability(self) -> Capability:
        """What the server can do, looked up now and then."""
        if self._wanted == "postings":
            return Capability(reason="the configuration says postings")
        with self._guard:
            seen = self._seen
        if seen is None or time.monotonic() - seen.at > _REMEMBERED:
            return self._remember(detected(self._database))
        return seen.capability

    def settle(self) -> bool:
        """After much was written: makes what pg_search needs, where it is asked for by name."""
        if self._wanted != "pg_search" or not settle_bm25(self._database):
            return False
        self._remember(detected(self._database))
        return True

    def compact(self) -> int:
        return self._postings.compact()

    def _ask(
        self,
        how: Capability,
        project: ProjectId,
        terms: Terms,
        filters: Filters,
        limit: int,
        fields: Sequence[LexicalField],
    ) -> tuple[Scored, ...]:
        owner = self._keys.project(project)
        admitted = None
        if not filters.empty:
            rows = self._database.rows("chunks_admitted", {"project": owner} | filter_parameters(filters))
            admitted = [row[0] for row in rows]
        return self._bm25.search(how, owner, terms, admitted, limit, fields)

    def _remember(self, capability: Capability) -> Capability:
        with self._guard:
            self._seen = _Seen(capability, time.monotonic())
        return capability
