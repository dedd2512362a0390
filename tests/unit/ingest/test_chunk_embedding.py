"""Full vectors: computed while others are read and written, and what goes wrong costs only what was not written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
import samples
from numpy.typing import NDArray

from octavo.errors import ProviderFailed
from octavo.ingest import chunk_embedding
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.projects_and_collections import Collection
from octavo.stores.sqlite.store import SqliteStore

SLICE = chunk_embedding.SLICE
PROFILE = samples.embedding_profile()
Vectors = NDArray[np.float32]


@dataclass
class Ahead:
    """Fits `ports.AheadEmbedder`, and writes down what was asked of it, and when; may fail at one of its slices."""

    told: list[str]
    fails_at: int = -1
    profile: EmbeddingProfile = PROFILE
    begun: int = 0
    left: bool = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise AssertionError("nothing is computed while the caller waits")

    def embed_query(self, text: str) -> Vectors:
        return np.full(4, 0.5, np.float32)

    @contextmanager
    def ahead(self) -> Iterator[Callable[[Sequence[str]], Callable[[], Vectors]]]:
        try:
            yield self._begin
        finally:
            self.left = True

    def _begin(self, texts: Sequence[str]) -> Callable[[], Vectors]:
        number = self.begun
        self.begun += 1
        self.told.append(f"begun {number}")

        def vectors() -> Vectors:
            if number == self.fails_at:
                raise ProviderFailed("the model failed")
            return np.full((len(texts), 4), 0.5, np.float32)

        return vectors


@dataclass
class Told:
    """Fits `Progress`: a slice is written when it moves; may be interrupted just then."""

    told: list[str] = field(default_factory=list)
    interrupted: bool = False
    written: int = 0

    def start(self, phase: str, total: int | None, unit: str) -> None: ...

    def advance(self, n: int = 1, note: str = "") -> None:
        self.told.append(f"written {self.written // SLICE}")
        self.written += n
        if self.interrupted:
            raise KeyboardInterrupt

    def finish(self) -> None: ...


def filled(chunks: int) -> tuple[SqliteStore, Collection]:
    store = SqliteStore.in_memory()
    within = samples.ensure(store)
    with store.transaction():
        paragraphs = [f"paragraph {number}" for number in range(chunks)]
        samples.put(store, within, samples.prepared(within, "a.md", *paragraphs))
    return store, within


def test_the_next_slice_is_begun_before_the_one_before_it_is_written() -> None:
    store, within = filled(3 * SLICE)
    progress = Told()
    assert chunk_embedding.embed_pending(store, within.project_id, Ahead(progress.told), progress) == 3 * SLICE
    assert progress.told == ["begun 0", "begun 1", "written 0", "begun 2", "written 1", "written 2"]
    assert not store.embeddings.pending(within.project_id, PROFILE)


def test_a_model_that_fails_leaves_what_was_written_before() -> None:
    store, within = filled(3 * SLICE)
    progress = Told()
    embedder = Ahead(progress.told, fails_at=1)
    with pytest.raises(ProviderFailed, match="the model failed"):
        chunk_embedding.embed_pending(store, within.project_id, embedder, progress)
    assert embedder.left
    assert len(store.embeddings.pending(within.project_id, PROFILE)) == 2 * SLICE


def test_an_interrupt_ends_the_work_and_the_next_run_goes_on_from_there() -> None:
    store, within = filled(3 * SLICE)
    progress = Told(interrupted=True)
    embedder = Ahead(progress.told)
    with pytest.raises(KeyboardInterrupt):
        chunk_embedding.embed_pending(store, within.project_id, embedder, progress)
    assert embedder.left
    assert embedder.begun == 2
    assert chunk_embedding.embed_pending(store, within.project_id, Ahead([]), Told()) == 2 * SLICE


def test_a_library_without_anything_to_embed_begins_nothing() -> None:
    store, within = filled(1)
    chunk_embedding.embed_pending(store, within.project_id, Ahead([]), Told())
    again = Ahead([])
    assert chunk_embedding.embed_pending(store, within.project_id, again, Told()) == 0
    assert again.begun == 0
