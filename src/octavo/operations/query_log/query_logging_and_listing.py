"""The log of queries: written while log.queries is on, listed, emptied, and learned from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple

from octavo.algorithms.text.time_parsing_and_formatting import moment
from octavo.engine.engine import Engine
from octavo.errors import Busy, StorageError
from octavo.fast_dataclass import Value
from octavo.memory.redacted_query_logging import keep_query
from octavo.model.ids import DocumentId
from octavo.model.query_log import LoggedQuery, ShownHit
from octavo.model.search_result import Result
from octavo.operations.answer_conversion import filled
from octavo.operations.query_log.requests import QueriesClearRequest, QueriesListRequest
from octavo.operations.styled_answer_lines import Line, Part, columns


class AskedQuery(Value):
    """`shown` counts the hits, `opened` are the documents of them that were read afterwards."""

    at: str
    query: str
    profile: str
    shown: int
    opened: tuple[str, ...] = ()


class QueriesAnswer(Value):
    """`logging` is whether queries are written down now."""

    queries: tuple[AskedQuery, ...]
    logging: bool


class QueriesCleared(Value):
    queries: int


_OPENED_WITHIN = 1_800.0  # seconds after a search in which reading a document has to do with it
_SHOWN = 10  # hits of a search that are kept: hardly anybody looks further


def log_query(engine: Engine, result: Result) -> None:
    """Writes a search down. It is a convenience: a library that is busy, or cannot be written, does without it."""
    if not result.query.strip():
        return
    shown = tuple(ShownHit(hit.document_id, hit.chunk_id) for hit in result.hits[:_SHOWN])
    with suppress(Busy, StorageError):
        logged = LoggedQuery(engine.library.now(), result.query, result.profile, shown)
        keep_query(engine.store, engine.project.id, logged)


def log_opened(engine: Engine, document: DocumentId) -> None:
    """Notes that a document was read, if a search has just shown it."""
    with suppress(Busy, StorageError):
        engine.store.query_log.open(engine.project.id, document, engine.library.now() - _OPENED_WITHIN)


def queries_list(engine: Engine, request: QueriesListRequest) -> QueriesAnswer:
    with engine.store.reading():
        entries = engine.store.query_log.entries(engine.project.id, request.limit)
        opened = {document for entry in entries for document in entry.opened}
        stored = {document: engine.store.documents.get(engine.project.id, document) for document in opened}
    places = {key: f"{document.collection}/{document.uri}" for key, document in stored.items() if document is not None}
    return QueriesAnswer(
        tuple(
            filled(
                AskedQuery,
                entry,
                shown=len(entry.hits),
                opened=tuple(places.get(document, document) for document in entry.opened),
            )
            for entry in entries
        ),
        engine.logs_queries,
    )


def queries_clear(engine: Engine, request: QueriesClearRequest) -> QueriesCleared:
    before = moment(request.before, datetime.now(UTC))
    with engine.store.transaction():
        return QueriesCleared(engine.store.query_log.clear(engine.project.id, before))


def queries_lines(answer: QueriesAnswer) -> Iterator[Line]:
    rows = [
        (Part(entry.at, "dim"), Part(entry.query), Part(f"{entry.shown} shown", "dim"), Part(", ".join(entry.opened)))
        for entry in answer.queries
    ]
    yield from columns(rows) if rows else ()
    if not answer.logging:
        yield (Part("Queries are not logged: `octavo config set log.queries true` turns that on.", "dim"),)
    elif not rows:
        yield (Part("Nothing was asked yet."),)


class OpenedPassage(NamedTuple):
    """A question, and the passage of a document that was shown for it and whose document was then read."""

    query: str
    place: str
    """The document as `collection/uri`."""
    text: str


def opened_passages(engine: Engine) -> Iterator[OpenedPassage]:
    """Each once, newest first; what is no longer in the library is left out."""
    documents, project = engine.store.documents, engine.project.id
    seen: set[OpenedPassage] = set()
    with engine.store.reading():
        for entry in engine.store.query_log.entries(project):
            for document in entry.opened:
                # The best of its hits: what made somebody open it.
                chunk = next(hit.chunk for hit in entry.hits if hit.document == document)
                key = documents.chunk_key(project, chunk)
                if key is None:
                    continue
                candidate = documents.candidates(project, [key])[key]
                text = documents.texts(project, [candidate.text_hash])[candidate.text_hash]
                place = f"{candidate.collection}/{candidate.uri}"
                opened = OpenedPassage(entry.query, place, text[candidate.span.start : candidate.span.end])
                if opened not in seen:
                    seen.add(opened)
                    yield opened
