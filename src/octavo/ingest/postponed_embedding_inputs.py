"""Embedding inputs that a run without embedding left out, made from the stored chunks when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from octavo.model.chunk import Chunk, EmbeddingInput
from octavo.model.document import Document
from octavo.model.ids import ChunkId, ChunkKey, DocumentId, ProjectId, SectionId
from octavo.model.normalised_text_and_spans import Lines
from octavo.model.stored_rows import PostponedChunk
from octavo.observability.progress import Progress
from octavo.sql_repositories.store import Store

_SLICE = 1_024  # chunks whose inputs are made in one transaction: a tenth of a second

Inputs = Callable[[Document, Chunk], tuple[EmbeddingInput, ...]]


def make_postponed(store: Store, project: ProjectId, make: Callable[[], Inputs], progress: Progress) -> int:
    """Gives every chunk that waits for them its inputs, the same as if they had been made at once; how many chunks.

    Stopping anywhere leaves the rest to the next time.
    """
    done, after = 0, ChunkKey(0)
    if not store.embeddings.postponed(project, after, 1):
        store.embeddings.finish_postponed(project)  # what waited may have gone, or been written anew with its inputs
        return done
    inputs = make()
    progress.start("preparing", None, "chunks")
    try:
        while True:
            # Read under the lock they are written under: another process may take a chunk away in between.
            with store.transaction():
                chunks = store.embeddings.postponed(project, after, _SLICE)
                if not chunks:
                    break
                store.embeddings.expect(project, list(_made(store, project, chunks, inputs)))
            done, after = done + len(chunks), chunks[-1].key
            progress.advance(len(chunks))
    finally:
        progress.finish()
    store.embeddings.finish_postponed(project)
    return done


def _made(
    store: Store, project: ProjectId, chunks: Sequence[PostponedChunk], inputs: Inputs
) -> Iterator[tuple[ChunkKey, tuple[EmbeddingInput, ...]]]:
    documents = _documents(store, project, {chunk.document_id for chunk in chunks})
    for chunk in chunks:
        document = documents[chunk.document_id]
        yield chunk.key, inputs(document, _chunk(document, chunk))


def _documents(store: Store, project: ProjectId, names: Collection[DocumentId]) -> dict[DocumentId, Document]:
    """As far as their chunks' inputs ask for them."""
    stored = [document for name in names if (document := store.documents.get(project, name)) is not None]
    texts = store.documents.texts(project, [document.text_hash for document in stored])
    return {
        document.id: Document(
            id=document.id,
            uri=document.uri,
            kind=document.kind,
            title=document.title,
            text=texts[document.text_hash],
            content_hash=document.text_hash,
            modified_at=document.modified_at,
            language=document.language,
            metadata=document.metadata,
        )
        for document in stored
    }


def _chunk(document: Document, chunk: PostponedChunk) -> Chunk:
    """The same of a chunk: what it is called, and where its lines are, is not asked."""
    return Chunk(
        ChunkId(""),
        document.id,
        SectionId(""),
        chunk.heading_path,
        0,
        chunk.span,
        Lines(0, 0),
        chunk.span.of(document.text),
        "",
        chunk.tokens,
        signature=chunk.signature,
    )
