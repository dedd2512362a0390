"""What an engine is made of, and what its writing flow reports."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from recto.retrieval.profiles import DEFAULT_PROFILE

if TYPE_CHECKING:
    from recto.algorithms.analysis import Analyzer
    from recto.ingest.accelerate import Accelerator
    from recto.ingest.history import HistoryRules
    from recto.ingest.pipeline import Workers
    from recto.ingest.prepare import Preparer
    from recto.ingest.report import CollectionReport, Problem
    from recto.model.collection import Collection, CollectionSettings, Project
    from recto.model.ledger import FileStamp
    from recto.model.location import Location
    from recto.model.profile import NamedProfile
    from recto.model.recipe import EmbeddingProfile, Recipe
    from recto.ports import Embedder, Reranker, Store, VectorIndex
    from recto.sources.files import Scan


class Notices(Protocol):
    """Tells where below a folder something happened, as `sources.watch.changes` does."""

    def __call__(
        self, root: Path, stop: threading.Event, ready: Callable[[], None], *, polling: bool, poll_ms: int
    ) -> Iterator[frozenset[str]]: ...


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """How an engine follows its folders, once it does."""

    enabled: bool = True
    debounce_ms: int = 2_000
    polling: bool = False
    poll_ms: int = 2_000
    reconciliation_interval_seconds: float = 3_600.0


@dataclass(frozen=True, slots=True)
class Defaults:
    """How a search answers when it is not told otherwise."""

    profile: str = DEFAULT_PROFILE
    limit: int = 10
    max_excerpt_chars: int | None = None
    count_hits: bool = True


@dataclass(frozen=True, slots=True)
class Parts:
    """What wiring hands to an engine: the store, and makers for what is only needed sometimes."""

    store: Store
    analyzer: Analyzer
    embedder: Callable[[], Embedder]
    vectors: Callable[[Store, Project, Embedder], VectorIndex]
    recipe: Callable[[CollectionSettings], Recipe]
    preparer: Callable[[CollectionSettings], Preparer]
    workers: Callable[[CollectionSettings, EmbeddingProfile | None, int], Workers]
    scan: Callable[[Collection, Mapping[str, FileStamp], Sequence[str] | None], Scan]
    max_file_bytes: int
    history: Callable[[CollectionSettings], HistoryRules]
    fast: Callable[[Embedder], Embedder | None] | None = None
    constrained: Callable[[], str] = str
    """Why full vectors are not to be computed now; empty while they are."""
    accelerator: Callable[[Store, Project, Callable[[], Embedder]], Accelerator | None] | None = None
    library: Location | None = None
    defaults: Defaults = Defaults()
    clock: Callable[[], float] = time.time
    watch: WatchSettings = field(default_factory=WatchSettings)
    notices: Notices | None = None
    reranker: Callable[[], Reranker] | None = None
    profile_folders: tuple[Path, ...] = ()
    profile_embedder: Callable[[NamedProfile], Embedder] | None = None
    loading: threading.Thread | None = None
    """What starts the embedder, where somebody has begun to."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a run of the writing flow did: `embedded` inputs have full vectors now, `fast` ones fast vectors."""

    collections: tuple[CollectionReport, ...]
    missing: tuple[Problem, ...]
    embedded: int
    seconds: float
    fast: int = 0
