"""What wiring hands to an open library: makers of adapters, and rules that a new configuration may change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from octavo.dataclass import dataclass
from octavo.retrieval.profiles import DEFAULT_PROFILE
from octavo.retrieval.stage import HydeSettings

if TYPE_CHECKING:
    from octavo.algorithms.analysis import Analyzer
    from octavo.algorithms.prompts import PromptFile
    from octavo.config.schema import Config
    from octavo.ingest.accelerate import Accelerator
    from octavo.ingest.history import HistoryRules
    from octavo.ingest.pipeline import Preparers
    from octavo.ingest.prepare import Preparer
    from octavo.model.collection import Collection, CollectionSettings, Project
    from octavo.model.embedding_profile import NamedEmbeddingProfile
    from octavo.model.ids import ProjectId
    from octavo.model.ledger import FileStamp
    from octavo.model.model_settings import Role
    from octavo.model.recipe import EmbeddingProfile, Recipe
    from octavo.model.scan import Scan
    from octavo.ports import (
        Completions,
        Embedder,
        EntityFinder,
        LanguageModel,
        QueryWriter,
        Reranker,
        Store,
        Summariser,
        SummaryIndex,
        VectorIndex,
    )


class FileChanges(Protocol):
    """Yields the paths below a folder at which something happened, as `sources.watch.changes` does."""

    def __call__(
        self, root: Path, stop: threading.Event, ready: Callable[[], None], *, polling: bool, poll_ms: int
    ) -> Iterator[frozenset[str]]: ...


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """How folders are followed, once they are."""

    enabled: bool = True
    debounce_ms: int = 2_000
    polling: bool = False
    poll_ms: int = 2_000
    reconciliation_interval_seconds: float = 3_600.0


class SearchDefaults(NamedTuple):
    """How a search answers where the request does not say."""

    profile: str = DEFAULT_PROFILE
    limit: int = 10
    max_excerpt_chars: int | None = None
    count_hits: bool = True
    hyde: HydeSettings = HydeSettings()


class WritingRules(NamedTuple):
    """Which notes may be changed: those of these collections, and of collections that allow it themselves."""

    collections: tuple[str, ...] = ()
    max_file_bytes: int = 20_000_000
    single_h1: bool = False
    lint_off: tuple[str, ...] = ()
    templates: str = "templates"
    note_collection: str = ""
    note_folder: str = ""
    note_folders: tuple[str, ...] = ()
    daily_folder: str = "daily"
    daily_template: str = "daily"


class IndexOptions(NamedTuple):
    """What a run of indexing looks at, and how far it goes.

    `names` are of collections, none meaning all. `reread` looks at every file, whatever its stamp says; `prefix`
    confines the run to uris that start so. Many full vectors are left to jobs, unless `wait_full`: fast ones stand in
    for them. With `confirm_removals`, files that are not there are gone even where their disk may not be mounted.
    """

    names: tuple[str, ...] = ()
    embed: bool = True
    reread: bool = False
    prefix: str = ""
    wait_full: bool = False
    confirm_removals: bool = False


@dataclass(frozen=True, slots=True)
class Adapters:
    """Makers of what a library is used with. Each is called when it is first needed: a search makes no parser."""

    analyzer: Analyzer
    embedder: Callable[[], Embedder]
    profile_embedder: Callable[[NamedEmbeddingProfile], Embedder]
    vectors: Callable[[Store, Project, Embedder], VectorIndex]
    summaries: Callable[[Store, Project, Embedder], SummaryIndex]
    store_in_memory: Callable[[Callable[[], float]], Store]
    """An empty store, by a clock."""
    recipe: Callable[[CollectionSettings], Recipe]
    preparer: Callable[[CollectionSettings], Preparer]
    preparers: Callable[[CollectionSettings, EmbeddingProfile | None, int], Preparers]
    """For so many bytes of files, which are given vectors of a fast profile on the way."""
    fast: Callable[[Embedder], Embedder | None] | None = None
    fallback: Callable[[], Embedder] | None = None
    """What embeds while the service of the active profile does not answer."""
    constrained: Callable[[], str] = str
    """Why full vectors are not to be computed now; empty while they are."""
    accelerator: Callable[[Store, Project, Callable[[], Embedder]], Accelerator | None] | None = None
    clock: Callable[[], float] = time.time
    file_changes: FileChanges | None = None
    reranker: Callable[[], Reranker] | None = None
    own_reranker: Callable[[str], Reranker] | None = None
    """The one that a project has chosen, by its name; None where a service reranks for all of them."""
    language_model: Callable[[Role, str | None], LanguageModel | None] | None = None
    """The model of a role, or one by its name, where any is configured."""
    cached_model: Callable[[LanguageModel, Completions, ProjectId], LanguageModel] | None = None
    """A model that answers from the library what it has answered before."""
    query_writer: Callable[[LanguageModel], QueryWriter] | None = None
    judges: Callable[[str, str, float], Sequence[tuple[Reranker, int]]] | None = None
    """The language models that rerank, the smallest first, by style, prompt and the seconds a call may take; each with
    how many calls it takes at once."""
    summariser: Callable[[LanguageModel], Summariser] | None = None
    entity_finder: Callable[[LanguageModel], EntityFinder] | None = None
    own_prompts: Callable[[str], Callable[[str], PromptFile | None]] | None = None
    """Prompts that the user has written, for a retrieval profile by its name."""
    profile_folders: tuple[Path, ...] = ()
    config: Config | None = None
    """What all of these follow, for another library that is to be opened like this one."""


class Rules(NamedTuple):
    """Which files are indexed and may be changed, and how a search answers by default: what may change while a server
    runs."""

    scan: Callable[[Collection, Mapping[str, FileStamp], Sequence[str] | None], Scan]
    max_file_bytes: int
    history: Callable[[CollectionSettings], HistoryRules]
    max_document_bytes: int = 100_000_000
    defaults: SearchDefaults = SearchDefaults()
    writing: WritingRules = WritingRules()
