"""Gives every chunk its vectors, outside any transaction but the short one that writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from recto.chunking.inputs import joined
from recto.errors import ProviderFailed
from recto.model.ids import ProjectId
from recto.model.recipe import EmbeddingProfile
from recto.model.stored import PendingInput, VectorRow
from recto.observability.progress import Progress
from recto.ports import Embedder, Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Inputs described, embedded and committed together: what a kill can cost, and how often progress moves. At twenty
# chunks a second, three seconds; not sized by the clock, since a padded batch's vectors depend on what is in it.
_SLICE = 64
_LARGEST = 65504.0  # what half precision can hold


def embed_pending(
    store: Store, project: ProjectId, embedder: Embedder, progress: Progress, *, newest: int | None = None
) -> int:
    """Embeds what has no vector yet under the embedder's profile. A crash resumes where it stopped.

    `newest` confines a run to so many inputs, the ones written last foremost. Commits come after everything else.
    """
    profile = embedder.profile
    pending = store.embeddings.pending(project, profile, newest_first=newest is not None)[:newest]
    progress.start("embedding", len(pending), "chunks")
    try:
        for keys in _slices(pending):
            described = store.embeddings.describe(project, keys)
            vectors = _checked(embedder.embed(_texts(store, project, described)), len(described), profile)
            rows = [
                VectorRow(one.input_key, vector.astype("<f2").tobytes())
                for one, vector in zip(described, vectors, strict=True)
            ]
            with store.transaction():
                store.embeddings.put(project, profile, rows)
            progress.advance(len(keys), described[-1].context if described else "")
    finally:
        progress.finish()
    return len(pending)


def _slices(pending: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(pending), _SLICE):
        yield pending[start : start + _SLICE]


def _checked(vectors: NDArray[np.float32], count: int, profile: EmbeddingProfile) -> NDArray[np.float32]:
    """What a provider gave, if it is what it promised: one such vector stored would spoil every later search."""
    wanted = (count, profile.dimensions)
    if vectors.shape != wanted:
        raise ProviderFailed(f"{profile.name} gave vectors of shape {vectors.shape}, not {wanted}")
    if not abs(vectors).max(initial=0.0) < _LARGEST:  # NaN is not below anything
        raise ProviderFailed(f"{profile.name} gave a vector that is not made of numbers")
    return vectors


def _texts(store: Store, project: ProjectId, described: Sequence[PendingInput]) -> list[str]:
    texts = store.documents.texts(project, (one.text_hash for one in described))
    return [joined(one.context, one.span.of(texts[one.text_hash])) for one in described]
