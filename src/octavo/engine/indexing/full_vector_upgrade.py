"""Fast vectors become full ones: what is asked for most and what changed last first, as long as memory allows."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from octavo.engine.indexing.index_upkeep_after_run import publish
from octavo.engine.search.index_freshness import PACE
from octavo.errors import Busy, StorageError
from octavo.ingest.chunk_embedding import embed_pending
from octavo.ingest.postponed_embedding_inputs import make_postponed
from octavo.ingest.provisional_fast_vectors import embed_fast
from octavo.model.ids import ChunkKey
from octavo.model.projects_and_collections import CollectionSettings
from octavo.observability.progress import NoProgress, Progress

if TYPE_CHECKING:
    from octavo.engine.open_project_library import OpenLibrary

JUDGED_AT_ONCE = 10  # chunks that get their full vector between two looks at the clock, and in any case
_PACE_SECONDS = 600.0


def upgrade(library: OpenLibrary, most: int, progress: Progress) -> int:
    """Full vectors for some of what waits; how many. A new snapshot follows once there are enough."""
    store, project, active = library.store, library.project.id, library.active
    make_inputs(library, progress)
    if _only_fast(library, progress):
        return 0
    embed_by_fallback(library, progress, wanted=most)
    library.hits.store(store, project, active.profile)
    started = time.perf_counter()
    embedded = embed_pending(store, project, active.embedder, progress, wanted=most, fast=active.fast_profile)
    if embedded == most:
        _record_pace(library, embedded / (time.perf_counter() - started))
    publish(library, progress)
    return embedded


def make_inputs(library: OpenLibrary, progress: Progress) -> None:
    """What is embedded of chunks that a run without embedding wrote."""
    # A collection's own chunk sizes do not matter any more: its chunks are cut.
    make_postponed(
        library.store,
        library.project.id,
        lambda: library.adapters.preparing.preparer(CollectionSettings()).inputs,
        progress,
    )


def embed_newest(library: OpenLibrary, most: int, progress: Progress) -> int:
    """Full vectors for what was just written; how many."""
    if not most or _only_fast(library, progress):
        return 0
    active = library.active
    embed_by_fallback(library, progress, newest=most)
    return embed_pending(
        library.store, library.project.id, active.embedder, progress, newest=most, fast=active.fast_profile
    )


def embed_newest_within(library: OpenLibrary, seconds: float) -> None:
    """The same, while there is time; some in any case."""
    deadline = time.monotonic() + seconds
    while embed_newest(library, JUDGED_AT_ONCE, NoProgress()) == JUDGED_AT_ONCE and time.monotonic() < deadline:
        pass


def embed_candidates(library: OpenLibrary, chunks: Sequence[ChunkKey], seconds: float) -> int:
    """Full vectors for what a search ranks best, so that it is judged by them; how many there were to compute.

    Best first, as many as there is time for while somebody waits. Only where fast ones stand in for them: a service is
    not asked for a hundred passages meanwhile.
    """
    active, embedded = library.active, 0
    if active.fast_profile is None or library.adapters.constrained():
        return 0
    deadline = time.monotonic() + seconds
    for first in range(0, len(chunks), JUDGED_AT_ONCE):
        left = deadline - time.monotonic()
        if first and left <= 0:
            break
        with library.store.patient(max(0.0, left)):
            embedded += embed_pending(
                library.store,
                library.project.id,
                active.embedder,
                NoProgress(),
                of_chunks=chunks[first : first + JUDGED_AT_ONCE],
                fast=active.fast_profile,
            )
    return embedded


def embed_by_fallback(
    library: OpenLibrary, progress: Progress, *, newest: int | None = None, wanted: int | None = None
) -> None:
    """The vectors that answer while the service does not. Before its own: it may be out of reach now."""
    fallback = library.active.setup.fallback
    if fallback is not None:
        embed_pending(library.store, library.project.id, fallback, progress, newest=newest, wanted=wanted)


def _record_pace(library: OpenLibrary, a_second: float) -> None:
    """For every process that has the library open; expires some time after the last batch."""
    with suppress(Busy, StorageError):
        holder, detail = f"{os.getpid()} {id(library)}", {"a_second": round(a_second, 3)}
        library.store.leases.take(library.project.id, PACE, holder, _PACE_SECONDS, detail)


def _only_fast(library: OpenLibrary, progress: Progress) -> bool:
    """Whether full vectors are not to be computed now; then what has none gets a fast one."""
    if not library.adapters.constrained():
        return False
    fast = library.active.fast
    if fast is not None:
        embed_fast(library.store, library.project.id, fast, library.active.profile, progress)
    return True
