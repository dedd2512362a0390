"""Everything a store lets be seen, as one plain value: two stores that hold the same are equal here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey, DocumentId, ProjectId
from octavo.model.memory import MemoryFilter, MemoryItem
from octavo.model.query import Filters
from octavo.sql_repositories.store import Store


def observed(
    store: Store,
    profiles: Iterable[EmbeddingProfile] = (),
    documents: Iterable[tuple[ProjectId, DocumentId]] = (),
    words: Iterable[str] = (),
) -> dict[str, Any]:
    """What the library holds. Documents without chunks, profiles and words to look for have to be named.

    Chunks, inputs and vectors appear under their content rather than under the store's own numbers.
    """
    wanted = list(documents)
    with store.reading():
        return {
            project.name: {
                "collections": store.catalog.collections(project.id),
                "recipe": store.catalog.recipe(project.id),
                "counts": store.counts(project.id),
                "ledger": {
                    collection.name: dict(store.ledger.entries(project.id, collection.id))
                    for collection in store.catalog.collections(project.id)
                },
                **_content(store, project.id, {one for owner, one in wanted if owner == project.id}, list(words)),
                "memories": [
                    _memory(store, item) for item in store.memories.find(project.id, MemoryFilter(status=None))
                ],
                "sessions": store.memories.sessions(project.id),
                "jobs": store.outbox.jobs(project.id),
                "embeddings": [_embeddings(store, project.id, profile) for profile in profiles],
            }
            for project in store.catalog.projects()
        }


def _content(store: Store, project: ProjectId, named: set[DocumentId], words: list[str]) -> dict[str, Any]:
    keys = store.documents.admitted(project, Filters())
    found = store.documents.candidates(project, keys)
    documents = sorted(named | {one.document_id for one in found.values()})
    versions = {document: store.documents.versions(project, document) for document in documents}
    hashes = {version.text_hash for several in versions.values() for version in several}
    return {
        "chunks": [found[key]._replace(key=ChunkKey(0)) for key in keys],
        "documents": [store.documents.get(project, document) for document in documents],
        "sections": {document: store.documents.sections(project, document) for document in documents},
        "versions": versions,
        "texts": dict(store.documents.texts(project, hashes)),
        "words": {word: [found[key].chunk_id for key in store.lexical.containing(project, [word])] for word in words},
    }


def _memory(store: Store, item: MemoryItem) -> tuple[Any, ...]:
    return (
        item,
        store.memories.versions(item.project_id, item.id),
        store.memories.commits(item.project_id, item.id),
    )


def _embeddings(store: Store, project: ProjectId, profile: EmbeddingProfile) -> dict[str, Any]:
    chunks = store.documents.candidates(project, store.documents.admitted(project, Filters()))
    pairs = [(ChunkKey(chunk), key) for chunk, key in store.embeddings.assignments(project).tolist()]
    names = {one.input_key: one.hash for one in store.embeddings.describe(project, [key for _, key in pairs])}
    vectors = store.embeddings.vectors(project, profile, 0)
    return {
        "coverage": store.embeddings.coverage(project, profile),
        "pending": [names[key] for key in store.embeddings.pending(project, profile)],
        "assignments": [(chunks[chunk].chunk_id, names[key]) for chunk, key in pairs],
        "vectors": len(vectors.keys),
        "held": {
            names[key]: row
            for key, row in zip(vectors.inputs.tolist(), vectors.matrix.tolist(), strict=True)
            if key in names
        },
    }
