"""What a run without embedding left out: the inputs of chunks, made from what the library holds by who needs them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from octavo.model.chunk import Chunk, EmbeddingInput
from octavo.model.document import Document
from octavo.model.ids import ChunkId, ChunkKey, DocumentId, ProjectId, SectionId
from octavo.model.stored import PostponedChunk
from octavo.model.text import Lines
from octavo.observability.progress import Progress
from octavo.ports import Store

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
                several = store.embeddings.postponed(project, after, _SLICE)
                if not several:
                    break
                store.embeddings.expect(project, list(_made(store, project, several, inputs)))
            done, after = done + len(several), several[-1].key
            progress.advance(len(several))
    finally:
        progress.finish()
    store.embeddings.finish_postponed(project)
    return done


def _made(
    store: Store, project: ProjectId, several: Sequence[PostponedChunk], inputs: Inputs
) -> Iterator[tuple[ChunkKey, tuple[EmbeddingInput, ...]]]:
    documents = _documents(store, project, {one.document_id for one in several})
    for one in several:
        document = documents[one.document_id]
        yield one.key, inputs(document, _chunk(document, one))


def _documents(store: Store, project: ProjectId, names: Collection[DocumentId]) -> dict[DocumentId, Document]:
    """As far as their chunks' inputs ask for them."""
    held = [one for name in names if (one := store.documents.get(project, name)) is not None]
    texts = store.documents.texts(project, [one.text_hash for one in held])
    return {
        one.id: Document(
            id=one.id,
            uri=one.uri,
            kind=one.kind,
            title=one.title,
            text=texts[one.text_hash],
            content_hash=one.text_hash,
            modified_at=one.modified_at,
            language=one.language,
            metadata=one.metadata,
        )
        for one in held
    }


def _chunk(document: Document, one: PostponedChunk) -> Chunk:
    """The same of a chunk: what it is called, and where its lines are, is not asked."""
    return Chunk(
        ChunkId(""),
        document.id,
        SectionId(""),
        one.heading_path,
        0,
        one.span,
        Lines(0, 0),
        one.span.of(document.text),
        "",
        one.tokens,
        signature=one.signature,
    )
