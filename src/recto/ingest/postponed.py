"""What a run without embedding left out: the inputs of chunks, made from what the library holds by who needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from recto.errors import LibraryError
from recto.model.chunk import Chunk, EmbeddingInput
from recto.model.document import Document
from recto.model.ids import ChunkId, ChunkKey, DocumentId, ProjectId, SectionId
from recto.model.stored import PostponedChunk
from recto.model.text import Lines
from recto.observability.progress import Progress
from recto.ports import Store

_SLICE = 1_024  # chunks whose inputs are made in one transaction: a tenth of a second

Inputs = Callable[[Document, Chunk], tuple[EmbeddingInput, ...]]


def make_postponed(store: Store, project: ProjectId, make: Callable[[], Inputs], progress: Progress) -> int:
    """Gives every chunk that waits for them its inputs, the same as if they had been made at once; how many chunks.

    Stopping anywhere leaves the rest to the next time.
    """
    done, after = 0, ChunkKey(0)
    if not store.embeddings.postponed(project, after, 1):
        return done
    inputs = make()
    progress.start("preparing", None, "chunks")
    try:
        while True:
            # Read under the lock they are written under: another process may take a chunk away in between.
            with store.transaction():
                several = store.embeddings.postponed(project, after, _SLICE)
                if not several:
                    store.embeddings.caught_up(project)
                    return done
                store.embeddings.expect(project, list(_made(store, project, several, inputs)))
            done, after = done + len(several), several[-1].key
            progress.advance(len(several))
    finally:
        progress.finish()


def _made(
    store: Store, project: ProjectId, several: Sequence[PostponedChunk], inputs: Inputs
) -> Iterator[tuple[ChunkKey, tuple[EmbeddingInput, ...]]]:
    for name, those in groupby(several, key=attrgetter("document_id")):
        document = _document(store, project, name)
        for one in those:
            yield one.key, inputs(document, _chunk(document, one))


def _document(store: Store, project: ProjectId, name: DocumentId) -> Document:
    """As far as its chunks' inputs ask for it."""
    held = store.documents.get(project, name)
    if held is None:
        raise LibraryError(f"the document {name} is missing", hint="run `recto db check`")
    return Document(
        id=held.id,
        uri=held.uri,
        kind=held.kind,
        title=held.title,
        text=store.documents.texts(project, [held.text_hash])[held.text_hash],
        content_hash=held.text_hash,
        modified_at=held.modified_at,
        language=held.language,
        metadata=held.metadata,
    )


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
