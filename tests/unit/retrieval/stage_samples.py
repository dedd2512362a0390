"""A library in memory, embedded by counting letters, for the tests of stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import samples
from numpy.typing import NDArray
from search_vectors import Meaning

from octavo.ingest.chunk_embedding import embed_pending
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey
from octavo.model.prepared_document import PreparedDocument
from octavo.model.query import Query
from octavo.model.search_result import Candidate
from octavo.observability.progress import NoProgress
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import Search
from octavo.stores.sqlite.store import SqliteStore
from octavo.vectors.exact_vector_search import ExactIndex

PROFILE = samples.embedding_profile(dimensions=26)
NOTES = samples.collection()


@dataclass(frozen=True)
class LetterEmbedder:
    """Counts letters: related texts share letters, and anyone can check the cosine by hand."""

    profile: EmbeddingProfile = PROFILE

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        counts = np.array([text.lower().count(chr(97 + letter)) for letter in range(26)], dtype=np.float32) + 1e-3
        return (counts / np.linalg.norm(counts)).astype(np.float32)


def note(uri: str, *paragraphs: str, **values: Any) -> PreparedDocument:
    return samples.prepared(NOTES, uri, *paragraphs, **values)


def library(*documents: PreparedDocument, embedded: bool = True) -> SearchedLibrary:
    store = SqliteStore.in_memory()
    within = samples.ensure(store)
    with store.transaction():
        for document in documents:
            samples.put(store, within, document)
    if embedded:
        embed_pending(store, within.project_id, LetterEmbedder(), NoProgress())
    index = ExactIndex(store, within.project_id, PROFILE)
    return SearchedLibrary(store, within.project_id, Meaning(LetterEmbedder, lambda: index), lambda: samples.MODIFIED)


def asking(held: SearchedLibrary, text: str = "x", **values: Any) -> Search:
    return Search(replace(Query(text, terms=samples.terms(text)), **values), held)


def listed(held: SearchedLibrary, *scores: float) -> tuple[Candidate, ...]:
    """Every chunk of the library in the order it was put, with these scores (or falling ones)."""
    keys = [ChunkKey(key) for key in range(1, held.store.counts(held.project).chunks + 1)]
    known = held.store.documents.candidates(held.project, keys)
    given = scores or [1.0 - number / 100 for number in range(len(keys))]
    return tuple(known[key]._replace(score=score) for key, score in zip(keys, given, strict=True))


def uris(candidates: Sequence[Candidate]) -> list[str]:
    return [candidate.uri for candidate in candidates]


def details(candidates: Sequence[Candidate], stage: str) -> dict[str, str]:
    return {candidate.uri: step.detail for candidate in candidates for step in candidate.steps if step.stage == stage}
