"""Gives every chunk its vectors, outside any transaction but the short one that writes them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from octavo.chunking.embedding_inputs import joined
from octavo.errors import ProviderFailed
from octavo.fast_dataclass import dataclass
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey, ProjectId
from octavo.model.memory import CONTEXTUAL_CLASSES, MemoryFilter
from octavo.model.stored_rows import PendingInput, VectorRow
from octavo.observability.progress import Progress
from octavo.ports import AheadEmbedder, Embedder
from octavo.sql_repositories.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Inputs described, embedded and committed together: what a kill can cost, and how often progress moves. At twenty
# chunks a second, three seconds; not sized by the clock, since a padded batch's vectors depend on what is in it.
SLICE = 64
# Slices begun before the first of them is waited for: one is read, tokenised or written while another is computed.
_AHEAD = 1
_LARGEST = 65504.0  # what half precision can hold


def embed_pending(
    store: Store,
    project: ProjectId,
    embedder: Embedder,
    progress: Progress,
    *,
    newest: int | None = None,
    wanted: int | None = None,
    of_chunks: Sequence[ChunkKey] | None = None,
    fast: EmbeddingProfile | None = None,
) -> int:
    """Embeds what has no vector yet under the embedder's profile. A crash resumes where it stopped.

    At most `newest` inputs, those written last first; at most `wanted`, those found most often or changed last first;
    only those `of_chunks`. Git commits come last. The transaction that writes vectors also removes those of `fast`
    that stood in for them.
    """
    profile = embedder.profile
    most = newest if newest is not None else wanted
    pending = store.embeddings.pending(
        project, profile, newest_first=newest is not None, wanted_first=wanted is not None, most=most, chunks=of_chunks
    )
    progress.start("embedding", len(pending), "chunks")
    together = _whole_texts(store, project) if isinstance(embedder, ContextualEmbedder) and pending else frozenset()
    whole_documents: set[int] = set()
    try:
        with _beginning(embedder) as begin:
            under_way: deque[_Slice] = deque()
            for keys in slices(pending):
                described = store.embeddings.describe(project, keys)
                whole_documents.update(window.document_key for window in described if window.text_hash in together)
                alone = [window for window in described if window.text_hash not in together]
                under_way.append(_Slice(len(keys), alone, begin(texts_of(store, project, alone))))
                if len(under_way) > _AHEAD:
                    _finish(store, project, profile, under_way.popleft(), fast, progress)
            while under_way:
                _finish(store, project, profile, under_way.popleft(), fast, progress)
        for document in sorted(whole_documents):
            assert isinstance(embedder, ContextualEmbedder)
            chunks = store.embeddings.describe(project, store.embeddings.of_document(project, document))
            chunks = tuple(sorted(chunks, key=lambda chunk: (chunk.span.start, chunk.span.end)))
            _put(store, project, profile, chunks, embedder.embed_together(texts_of(store, project, chunks)), fast)
    finally:
        progress.finish()
    if of_chunks is None and (most is None or len(pending) < most):
        store.embeddings.mark_complete(project, profile)
    return len(pending)


@dataclass(frozen=True, slots=True)
class _Slice:
    """Inputs begun together, the number of their keys, and the call that gives vectors."""

    keys: int
    described: Sequence[PendingInput]
    vectors: Callable[[], NDArray[np.float32]]


@contextmanager
def _beginning(embedder: Embedder) -> Iterator[Callable[[Sequence[str]], Callable[[], NDArray[np.float32]]]]:
    """Starts texts ahead where the embedder can; else computes them when their vectors are asked for."""
    if not isinstance(embedder, AheadEmbedder):
        yield lambda texts: partial(embedder.embed, texts)
        return
    with embedder.ahead() as begin:
        yield begin


def _finish(
    store: Store,
    project: ProjectId,
    profile: EmbeddingProfile,
    begun: _Slice,
    fast: EmbeddingProfile | None,
    progress: Progress,
) -> None:
    if begun.described:
        _put(store, project, profile, begun.described, begun.vectors(), fast)
    progress.advance(begun.keys, begun.described[-1].context if begun.described else "")


@runtime_checkable
class ContextualEmbedder(Protocol):
    """An embedder that can embed the chunks of one document together, so that each vector sees the whole document."""

    def embed_together(self, chunks: Sequence[str]) -> NDArray[np.float32]: ...


def _whole_texts(store: Store, project: ProjectId) -> frozenset[str]:
    """The texts of canonical documents whose chunks only make sense together."""
    memory_filter = MemoryFilter(canonical_only=True, doc_classes=CONTEXTUAL_CLASSES)
    items = store.memories.find(project, memory_filter)
    return frozenset(store.memories.versions(project, item.id)[-1].text_hash for item in items)


def _put(
    store: Store,
    project: ProjectId,
    profile: EmbeddingProfile,
    described: Sequence[PendingInput],
    vectors: NDArray[np.float32],
    fast: EmbeddingProfile | None = None,
) -> None:
    checked = _checked(vectors, len(described), profile)
    rows = [
        VectorRow(window.input_key, vector.astype("<f2").tobytes())
        for window, vector in zip(described, checked, strict=True)
    ]
    with store.transaction():
        store.vectors_alone()
        store.embeddings.put(project, profile, rows)
        if fast is not None:
            store.embeddings.remove(project, fast, [window.input_key for window in described])


def slices(pending: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(pending), SLICE):
        yield pending[start : start + SLICE]


def _checked(vectors: NDArray[np.float32], count: int, profile: EmbeddingProfile) -> NDArray[np.float32]:
    """A provider's vectors, if their shape and values are sound: a bad one would spoil every later search."""
    shape = (count, profile.dimensions)
    if vectors.shape != shape:
        raise ProviderFailed(f"{profile.name} gave vectors of shape {vectors.shape}, not {shape}")
    if not abs(vectors).max(initial=0.0) < _LARGEST:  # NaN is not below anything
        raise ProviderFailed(f"{profile.name} gave a vector that is not made of numbers")
    return vectors


def texts_of(store: Store, project: ProjectId, described: Sequence[PendingInput]) -> list[str]:
    texts = store.documents.texts(project, (window.text_hash for window in described))
    return [joined(window.context, window.span.of(texts[window.text_hash])) for window in described]
