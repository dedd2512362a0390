"""A small library with everything that reads and makes snapshots around it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
import samples
from numpy.typing import NDArray
from set_clock import SetClock

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.ingest.search_snapshot_build import Making, publish
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ProjectId, document_id
from octavo.model.search_snapshot import Manifest
from octavo.model.stored_rows import VectorRow
from octavo.observability.progress import NoProgress
from octavo.search_snapshots.folder import SnapshotFolder
from octavo.search_snapshots.lexical_search import SnapshotLexical
from octavo.search_snapshots.reader import SnapshotReader
from octavo.search_snapshots.vector_search import SnapshotVectors
from octavo.stores.sqlite.store import SqliteStore
from octavo.vectors.exact_vector_search import ExactIndex

PROFILE = EmbeddingProfile("sample", "sample", "1", dimensions=16, window=32)
FAST = EmbeddingProfile("fast", "sample", "1", dimensions=16, window=32)


class Bench:
    """What a test does to a library, and both ways of asking it."""

    def __init__(self, folder: Path, *, shards: int = 4, windows: int = 1) -> None:
        self.clock = SetClock()
        self.store = SqliteStore(folder / "library.db", clock=self.clock)
        self.notes = samples.ensure(self.store)
        self.project: ProjectId = self.notes.project_id
        self.folder = SnapshotFolder(folder / "library.db.snapshots")
        self.windows = windows
        self.making = Making(
            store=self.store,
            source=self.store.snapshots,
            project=self.project,
            folder=self.folder,
            profiles=(PROFILE, FAST),
            analyzer=Analyzer.version,
            shards=shards,
            clock=self.clock,
        )
        self.made: Manifest | None = None
        self.written: dict[str, list[str]] = {}
        self.reopen()

    def reopen(self) -> None:
        """Everything that reads, from the start: as another process would."""
        self.snapshots = SnapshotReader(self.folder, self.store.snapshots, self.project, lambda manifest: True)
        self.lexical = SnapshotLexical(self.snapshots, self.store, self.store.lexical, self.store.documents)
        self.exact = ExactIndex(self.store, self.project, PROFILE, FAST)
        self.vectors = SnapshotVectors(self.snapshots, self.store, (PROFILE, FAST), lambda: self.exact)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.store.close()

    def vector(self, text: str) -> NDArray[np.float32]:
        seed = int.from_bytes(text.encode()[-8:].rjust(8, b"\0"), "little")
        made = np.random.default_rng(seed).standard_normal(PROFILE.dimensions).astype(np.float32)
        return made / np.linalg.norm(made)

    def do(self, what: str, one: Any, other: Any) -> None:
        match what:
            case "put":
                self.put(one, *other)
            case "remove" if one in self.written:
                with self.store.transaction():
                    self.store.documents.remove(self.project, document_id(self.project, self.notes.id, one))
                del self.written[one]
            case "move" if one in self.written and other not in self.written:
                with self.store.transaction():
                    prepared = samples.prepared(self.notes, other, *self.written[one], windows=self.windows)
                    keys = self.store.documents.move(self.project, self.notes.id, one, prepared)
                    self._index(keys, prepared)
                self.written[other] = self.written.pop(one)
            case "embed":
                self.embed(one)
            case "fast":
                self.embed_fast(one)
            case "publish" if self.written:
                self.publish()

    def put(self, uri: str, *paragraphs: str) -> None:
        with self.store.transaction():
            prepared = samples.prepared(self.notes, uri, *paragraphs, windows=self.windows)
            self._index(self.store.documents.put(self.project, self.notes.id, prepared), prepared)
        self.written[uri] = list(paragraphs)

    def _index(self, keys: Any, prepared: Any) -> None:
        self.store.lexical.put(self.project, [(k, c.lexical) for k, c in zip(keys, prepared.chunks, strict=True)])
        self.store.embeddings.expect(self.project, [(k, c.inputs) for k, c in zip(keys, prepared.chunks, strict=True)])

    def embed(self, most: int) -> None:
        pending = self.store.embeddings.pending(self.project, PROFILE)[:most]
        rows = [VectorRow(key, self.vector(f"input {key}").astype("<f2").tobytes()) for key in pending]
        with self.store.transaction():
            self.store.embeddings.put(self.project, PROFILE, rows)

    def embed_fast(self, most: int) -> None:
        waiting = set(self.store.embeddings.pending(self.project, PROFILE))
        pending = [key for key in self.store.embeddings.pending(self.project, FAST) if key in waiting][:most]
        rows = [VectorRow(key, self.vector(f"about {key}").astype("<f2").tobytes()) for key in pending]
        with self.store.transaction():
            self.store.embeddings.put(self.project, FAST, rows)

    def publish(self) -> Manifest:
        self.made = publish(self.making, self.snapshots.current(), NoProgress())
        return self.made
