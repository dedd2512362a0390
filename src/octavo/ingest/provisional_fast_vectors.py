"""Fast vectors: what has no vector at all gets one from a table, so that it can be found by meaning at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from octavo.chunking.embedding_inputs import joined
from octavo.model.chunk import EmbeddingInput
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ProjectId
from octavo.model.job import JobKind
from octavo.model.stored_rows import VectorRow
from octavo.observability.progress import Progress
from octavo.ports import Embedder
from octavo.sql_repositories.store import Store

_SLICE = 2_048  # inputs written together: a second or so of a table
AT_ONCE = 1_000
"""Full vectors a run computes itself; more than that are left to whoever works in the background."""


class Filled(NamedTuple):
    """How many inputs were given a vector, of each kind."""

    full: int = 0
    fast: int = 0


def embed_fast(store: Store, project: ProjectId, fast: Embedder, full: EmbeddingProfile, progress: Progress) -> int:
    """How many inputs were given one. A crash resumes where it stopped."""
    without = store.embeddings.pending(project, fast.profile)
    # What has its full vector needs no other, and the fast one it had is gone.
    waiting = set(store.embeddings.pending(project, full)) if without else set[int]()
    pending = [key for key in without if key in waiting]
    if not without:
        store.embeddings.mark_complete(project, fast.profile)  # so that the next run need not look at every input
    progress.start("fast vectors", len(pending), "chunks")
    try:
        for start in range(0, len(pending), _SLICE):
            described = store.embeddings.describe(project, pending[start : start + _SLICE])
            texts = store.documents.texts(project, {window.text_hash for window in described})
            vectors = fast.embed(
                [joined(window.context, window.span.of(texts[window.text_hash])) for window in described]
            )
            halves = vectors.astype("<f2")
            rows = [VectorRow(window.input_key, row.tobytes()) for window, row in zip(described, halves, strict=True)]
            with store.transaction():
                store.embeddings.put(project, fast.profile, rows)
            progress.advance(len(rows), described[-1].context if described else "")
    finally:
        progress.finish()
    return len(pending)


def put_fast(
    store: Store,
    project: ProjectId,
    profile: EmbeddingProfile,
    inputs: Iterable[EmbeddingInput],
    fresh: Mapping[str, int],
) -> int:
    """Keeps vectors made on the way, of `fresh` inputs alone: what is known may have its full one. How many."""
    vectors = {fresh[window.hash]: window.fast for window in inputs if window.fast and window.hash in fresh}
    if vectors:
        store.embeddings.put(project, profile, list(map(VectorRow, vectors, vectors.values())))
    return len(vectors)


def embed_in_tiers(
    store: Store,
    project: ProjectId,
    full: Embedder,
    fast: Embedder | None,
    progress: Progress,
    embed_pending: Callable[..., int],
    *,
    wait: bool,
) -> Filled:
    """Fast vectors for all that wait, then full ones: all of them, or what is written last and a job for the rest."""
    stands_in = None if fast is None else fast.profile
    if fast is None or wait or not _many_pending(store, project, full.profile):
        return Filled(full=embed_pending(store, project, full, progress, fast=stands_in))
    given = embed_fast(store, project, fast, full.profile, progress)
    if given or not store.outbox.due(project, (JobKind.EMBED,)):  # a run that finds nothing to do writes nothing
        with store.transaction():
            store.outbox.enqueue(project, JobKind.EMBED, "full vectors", {})
    return Filled(fast=given)


def _many_pending(store: Store, project: ProjectId, full: EmbeddingProfile) -> bool:
    """Whether more wait than are embedded at once: the newest tell, without a look at all of them."""
    return len(store.embeddings.pending(project, full, newest_first=True, most=AT_ONCE + 1)) > AT_ONCE
