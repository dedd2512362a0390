"""A search as of a time: what has changed since is searched as it was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from octavo.algorithms.ranking.reciprocal_rank_fusion import reciprocal_rank
from octavo.errors import ProviderFailed
from octavo.fast_dataclass import replace
from octavo.ingest.chunk_embedding import embed_pending
from octavo.model.document import Kind, Source
from octavo.model.git_commit import is_commit
from octavo.model.ids import DocumentId, document_id
from octavo.model.projects_and_collections import Collection
from octavo.model.search_result import Hit, Result
from octavo.model.stored_rows import PastDocument
from octavo.observability.progress import NoProgress

if TYPE_CHECKING:
    from octavo.engine.engine import Engine
    from octavo.model.query import Query
    from octavo.retrieval.stage import RetrievalProfile

_MOST_EMBEDDED = 64  # past texts embedded for one question; more are searched by word only
_MOST = 2_000  # past texts that are read for one question


def with_past(engine: Engine, query: Query, profile: RetrievalProfile, result: Result) -> Result:
    """The result with hits in texts that documents had at the time and no longer have.

    Documents unchanged since are in the result already. The others are indexed in a library in memory.
    """
    at = query.filters.as_of
    if at is None:
        return result
    homes = [*engine.collections(), engine.memories.collection]
    past = [
        (past_document, home)
        for past_document in engine.store.documents.past(engine.project.id, at)
        if not is_commit(past_document.version.uri) and (home := _home(past_document, homes)) is not None
    ]
    if not past:
        return result
    degraded = result.degraded
    if len(past) > _MOST:
        degraded = (*degraded, f"as_of: of {len(past):,} past texts the first {_MOST:,} were searched")
    hits = _found_in_past_texts(engine, query, profile, past[:_MOST])
    degraded = tuple(dict.fromkeys((*degraded, *hits.degraded)))
    repeatable = result.repeatable and hits.repeatable
    return replace(result, hits=_merged(result, hits)[: query.limit], degraded=degraded, repeatable=repeatable)


def _home(past_document: PastDocument, homes: Iterable[Collection]) -> Collection | None:
    """The collection that a document is or was in: its id follows from where it is."""
    for home in homes:
        if document_id(home.project_id, home.id, past_document.version.uri) == past_document.id:
            return home
    return None


def _found_in_past_texts(
    engine: Engine, query: Query, profile: RetrievalProfile, past: list[tuple[PastDocument, Collection]]
) -> Result:
    hashes = (past_document.version.text_hash for past_document, _ in past)
    texts = engine.store.documents.texts(engine.project.id, hashes)
    versions: dict[DocumentId, int] = {}
    with engine.in_memory() as scratch:
        scratch.memories.ensure_collection()
        for past_document, home in past:
            text = texts.get(past_document.version.text_hash)
            if text is not None:
                versions[past_document.id] = past_document.version.version
                _put(scratch, past_document, home, text)
        if len(past) <= _MOST_EMBEDDED:
            embed_if_answering(scratch, query.text)
        then = replace(query, filters=replace(query.filters, as_of=None))
        result = scratch.search(then, profile)
    dated = (replace(hit, version=versions.get(hit.document_id), stale=None) for hit in result.hits)
    return replace(result, hits=tuple(dated))


def embed_if_answering(scratch: Engine, question: str) -> None:
    """Vectors for a library in memory. A service that does not answer is asked once, and the search says so."""
    try:
        scratch.embedder.embed_query(question)
        embed_pending(scratch.store, scratch.project.id, scratch.embedder, NoProgress())
    except ProviderFailed:
        return


def _put(scratch: Engine, past_document: PastDocument, home: Collection, text: str) -> None:
    store, project, settings = scratch.store, scratch.project.id, home.settings
    memory = home.name == scratch.memories.collection.name
    source = Source(
        id=past_document.id,
        uri=past_document.version.uri,
        text=text,
        modified_at=past_document.version.modified_at,
        kind=Kind.MEMORY if memory else settings.kind,
        tags=settings.tags,
        title=past_document.version.title if memory else "",
        allow_secrets=True,  # what was to be redacted was so when it was stored
    )
    prepared = scratch.library.adapters.preparing.preparer(settings).text(source)
    with store.transaction():
        store.catalog.put_collection(home)
        keys = store.documents.put(project, home.id, prepared)
        pairs = list(zip(keys, prepared.chunks, strict=True))
        store.lexical.put(project, [(key, indexed.lexical) for key, indexed in pairs])
        store.embeddings.expect(project, [(key, indexed.inputs) for key, indexed in pairs])


def _merged(now: Result, then: Result) -> tuple[Hit, ...]:
    """By relevance where both know it; else by rank, since scores of two libraries cannot be compared."""
    every = [*now.hits, *then.hits]
    if now.calibrated and then.calibrated:
        order = sorted(range(len(every)), key=lambda at: (-every[at].score, at))
    else:
        border = len(now.hits)
        fused = reciprocal_rank({"now": list(range(border)), "then": list(range(border, len(every)))})
        order = list(fused)
    return tuple(replace(every[at], rank=rank) for rank, at in enumerate(order, 1))
