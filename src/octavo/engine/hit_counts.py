"""How often searches showed each chunk: what is asked for most gets its full vector first."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from octavo.errors import Busy, StorageError

if TYPE_CHECKING:
    from octavo.model.ids import ChunkKey, ProjectId
    from octavo.model.recipe import EmbeddingProfile
    from octavo.ports import Store

_MOST = 10_000  # chunks counted between two writings: enough to know what is asked for most


class HitCounts:
    """Counted in memory, so that a search writes nothing.

    The counts reach the store when vectors are computed, or when the library is closed, and only those of chunks that
    wait for a vector. They never leave the library.
    """

    def __init__(self) -> None:
        self._shown: Counter[ChunkKey] = Counter()
        self._lock = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self._shown)

    def note(self, keys: Iterable[ChunkKey]) -> None:
        with self._lock:
            if len(self._shown) < _MOST:
                self._shown.update(keys)

    def store(self, store: Store, project: ProjectId, profile: EmbeddingProfile) -> None:
        """They only order work, so a busy library does without them."""
        with self._lock:
            shown, self._shown = self._shown, Counter()
        if shown:
            with suppress(Busy, StorageError):
                store.embeddings.note_hits(project, profile, shown)
