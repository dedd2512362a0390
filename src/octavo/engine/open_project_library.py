"""A project of an open library: its store, adapters, collections, index runs and hit counts."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.config.layered_config_loading import journals_folder
from octavo.config.schema import Config
from octavo.engine.active_embedding_profile import ActiveProfile
from octavo.errors import Busy, ConfigurationError, InvalidArgument, NotFound, SourceError, StorageError
from octavo.fast_dataclass import replace
from octavo.model.ids import ChunkKey, ProjectId, collection_id
from octavo.model.language_model_settings import Role
from octavo.model.library_location import Location
from octavo.model.projects_and_collections import MEMORIES, Collection, CollectionSettings, Project
from octavo.path_resolution_and_private_folders import real_path

if TYPE_CHECKING:
    from octavo.engine.indexing.index_runs import IndexRuns
    from octavo.engine.wiring.adapter_factories import Adapters
    from octavo.ingest.git_commit_indexing import HistoryRules
    from octavo.model.embedding_profile import EmbeddingProfile
    from octavo.model.folder_scan import Scan
    from octavo.model.index_recipe import Recipe
    from octavo.model.indexing_ledger import FileStamp
    from octavo.ports import LanguageModel
    from octavo.sql_repositories.store import Store

_REMOVE_PATIENCE = 300.0  # seconds to wait for other writers
_LONGEST_NAME, _MOST_NAMES = 100, 20
_MOST = 10_000  # chunks counted between two writings: enough to know what is asked for most


class OpenLibrary:
    """A store, a project in it, and the adapters both flows use. `config` is exchanged when the configuration
    changes: what it says of files, searches and notes."""

    remove_seconds = 0.25
    """For which documents are removed in one transaction, before others may write."""

    def __init__(
        self, store: Store, project: str, adapters: Adapters, config: Config, *, location: Location | None = None
    ) -> None:
        self.store = store
        self.project = _ensured(store, project)
        self.adapters = adapters
        self.config = config
        self.location = location
        self.active = ActiveProfile(store, self.project, adapters)
        self.hits = HitCounts()

    @cached_property
    def builds(self) -> IndexRuns:
        """The runs of indexing. A process that only searches has none."""
        from octavo.engine.indexing.index_runs import IndexRuns

        return IndexRuns(self.adapters.clock, self.store.leases, self.project.id, patient=self.store.patient)

    def now(self) -> float:
        return self.adapters.clock()

    def within(self, project: str) -> OpenLibrary:
        """The same store, seen from another project."""
        return OpenLibrary(self.store, project, self.adapters, self.config, location=self.location)

    def in_memory(self) -> OpenLibrary:
        """An empty library in memory, with the same project, recipe and model; gone once its store is closed."""
        adapters = self.adapters.in_memory(self.active.embedder)
        return OpenLibrary(adapters.store_in_memory(), self.project.name, adapters, self.config)

    def journals(self, collection: Collection) -> Path:
        """Where the pending writes to a collection's folder are kept."""
        return journals_folder(self.location, collection.root)

    def language_model(self, role: Role, name: str | None = None) -> LanguageModel | None:
        """The configured model of a role, or one by its name, not asked twice for the same; None without any."""
        models = self.adapters.models
        if models is None and name is not None:
            raise ConfigurationError(
                f"there is no model {name}", hint=f"describe it in a table [llm.models.{name}] of your configuration"
            )
        if models is None or (model := models.model(role, name)) is None:
            return None
        return models.cached(model, self.store.completions, self.project.id)

    def scan(
        self, collection: Collection, known: Mapping[str, FileStamp] | None = None, paths: Sequence[str] | None = None
    ) -> Scan:
        """The files of a collection's folder, or those at some paths; `known` ones are not looked into again."""
        return self.adapters.sources(self.config).scan(collection, known or {}, paths)

    def is_writable(self, collection: Collection) -> bool:
        """Whether notes in it may be changed: it says so itself, or the configuration does."""
        return collection.settings.writable or collection.name in self.config.writing.collections

    def history_rules(self, settings: CollectionSettings) -> HistoryRules:
        """Which commits of a collection are indexed, and which files."""
        return self.adapters.sources(self.config).history_rules(settings)

    def collections(self) -> tuple[Collection, ...]:
        return tuple(map(_placed, self.store.catalog.collections(self.project.id)))

    def collection(self, name: str) -> Collection:
        collections = self.collections()
        for collection in collections:
            if collection.name == name:
                return collection
        raise _no_such_collection(name, [collection.name for collection in collections])

    def add_collection(self, name: str, root: Path, settings: CollectionSettings | None = None) -> Collection:
        """Adding a name again replaces its root and settings; what it indexed stays until the next run."""
        if not name or name != name.strip() or any(character in name for character in "/\\\0\n:"):
            raise InvalidArgument(f"{name!r} cannot name a collection", hint="use letters, digits, - and _")
        if name == MEMORIES:
            raise InvalidArgument(f"{name} is where memories are kept", hint="give the collection another name")
        if not root.is_dir():
            raise SourceError(f"{root} is not a folder", hint="give the folder that holds the documents")
        settings = settings or CollectionSettings()
        collection = Collection(collection_id(self.project.id, name), self.project.id, name, real_path(root), settings)
        with self.store.transaction():
            self.store.catalog.put_collection(collection)
        return collection

    def remove_collection(self, name: str) -> Collection:
        collection = self.collection(name)
        if name == MEMORIES and not collection.on_disk:
            raise InvalidArgument(f"{name} is where memories are kept", hint="`octavo forget` puts one of them away")
        with self.builds.alone("remove"), self.store.patient(_REMOVE_PATIENCE):
            self._remove_documents(collection)
            with self.store.transaction():
                self.store.catalog.remove_collection(self.project.id, collection.id)
                self.store.graph.resolve_references(self.project.id)
        from octavo.observability.logs import logger  # a search does not pay for what a removal says

        logger("engine").info("the collection %s was removed", name)
        return collection

    def _remove_documents(self, collection: Collection) -> None:
        """Some at a time, so that others can write in between. One that is removed is forgotten by the ledger too: if
        this ends half-way, the next run indexes it again."""
        store, project = self.store, self.project.id
        entries = list(store.ledger.entries(project, collection.id).values())
        while entries:
            removed: list[str] = []
            with store.transaction():
                until = time.monotonic() + self.remove_seconds
                while entries and (not removed or time.monotonic() < until):
                    entry = entries.pop()
                    if entry.document_id is not None:
                        store.documents.remove(project, entry.document_id)
                    removed.append(entry.uri)
                store.ledger.forget(project, collection.id, removed)

    def recipe(self, settings: CollectionSettings = CollectionSettings()) -> Recipe:  # noqa: B008
        """How this configuration would index, with a collection's overrides if there are any."""
        return replace(self.adapters.recipe(settings), embedding=self.active.profile)

    def cut_by(self, settings: CollectionSettings = CollectionSettings()) -> Recipe:  # noqa: B008
        """What documents are cut and analysed by: the configuration, whichever embedding profile answers."""
        return self.adapters.recipe(settings)


def _no_such_collection(name: str, names: Sequence[str]) -> NotFound:
    # Likeness takes time by the square of the length, and no collection's name is long.
    near: list[str] = []
    if len(name) <= _LONGEST_NAME:
        near = import_module("difflib").get_close_matches(name, names, n=3, cutoff=0.5)
    known = "there are: " + ", ".join(names[:_MOST_NAMES]) + (" and more" if len(names) > _MOST_NAMES else "")
    hint = f"did you mean {near[0]}?" if near else known if names else "`octavo add` adds a folder"
    return NotFound(f"there is no collection {name[:_LONGEST_NAME]}", hint=hint, details={"near": near})


def _placed(collection: Collection) -> Collection:
    """With its folder among its settings: the project file there says how its files are cut."""
    if not collection.on_disk:
        return collection
    return replace(collection, settings=replace(collection.settings, folder=str(collection.root)))


def _ensured(store: Store, name: str) -> Project:
    """The project of this name; one that is not there yet is made."""
    for project in store.catalog.projects():
        if project.name == name:
            return project
    with store.transaction():
        return store.catalog.ensure_project(name)


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
