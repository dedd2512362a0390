"""The engine: one open library, one project, and the two flows over them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from recto.algorithms.syntax import parse_query
from recto.engine.beside import Beside, load_ahead
from recto.engine.builds import Builds
from recto.engine.freshness import Counts, as_of_now, counted, marked
from recto.engine.upgrading import Hits, make_inputs, upgrade, write_down
from recto.errors import ConfigurationError, InvalidArgument, NotFound, SourceError
from recto.ingest.profiles import active_profile
from recto.model.collection import MEMORIES, Collection, CollectionSettings
from recto.model.ids import collection_id
from recto.model.query import Query
from recto.model.recipe import Recipe
from recto.model.result import Candidate, Freshness, Result
from recto.retrieval.pipeline import run
from recto.retrieval.present import present
from recto.retrieval.profiles import DEFAULT_PROFILE, PROFILES
from recto.retrieval.reranking import MeasuredReranker
from recto.retrieval.stage import Library, Profile
from recto.retrieval.stages.budget import check_cursor, next_cursor

if TYPE_CHECKING:
    # What only the writing flow needs is imported where it is used: a search does not pay for it.
    from recto.engine.builds import Work
    from recto.engine.indexing import Changes
    from recto.engine.parts import IndexReport, Parts
    from recto.engine.watching import Watching
    from recto.engine.working import Working
    from recto.ingest.accelerate import Accelerator
    from recto.ingest.report import CollectionReport
    from recto.jobs.worker import Pace, Worker
    from recto.memory.desk import Desk
    from recto.model.collection import Project
    from recto.model.document import Source
    from recto.model.profile import NamedProfile
    from recto.observability.progress import Progress
    from recto.ports import Embedder, VectorIndex
    from recto.retrieval.replay import Answered, Recording

_LOADED_WITHIN = 10.0  # seconds that closing waits for a model that is being loaded


class Engine:
    """Opened once, used by every interface. Not re-entrant for writing; reading is safe from several threads."""

    _answering: NamedProfile | None = None

    def __init__(self, parts: Parts, project: str) -> None:
        self._parts = parts
        self._beside = Beside()
        self._others: dict[str, Engine] = {}
        self.store = parts.store
        self.library = parts.library
        self.defaults = parts.defaults
        self.project = self._ensure_project(project)
        self.builds = Builds(parts.clock, self.store.leases, self.project.id)
        self.hits = Hits()
        self._loading = parts.loading
        self._counts = Counts(partial(counted, self), self.store.generation)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        if self.watched:
            self.builds.stop(0.0)  # its run ends at the next report
            self.watching.stop()
        for one in (self, *self._others.values()):
            one.hits.leave(one)
            one._beside.stop()
            one._counts.stop()
            if one._loading is not None:
                one._loading.join(_LOADED_WITHIN)  # an interpreter that ends while a model loads may abort
        self.store.close()

    @cached_property
    def watching(self) -> Watching:
        """Keeps the library in step with its folders, once it is started."""
        from recto.engine.watching import Watching

        return Watching(self, self._parts.watch)

    @property
    def watched(self) -> bool:
        """Whether `watching` goes on; asking does not make it."""
        return "watching" in self.__dict__ and self.watching.active

    @cached_property
    def working(self) -> Working:
        """Does the promised work of a process that lives on, once it is started."""
        from recto.engine.working import Working

        return Working(self)

    def within(self, project: str) -> Engine:
        """The same open library, seen from another of its projects. Nothing crosses unless asked for by name."""
        if project == self.project.name:
            return self
        if project not in self._others:
            if project not in {one.name for one in self.store.catalog.projects()}:
                raise NotFound(f"there is no project {project}", hint="`recto projects list` shows the projects")
            self._others[project] = Engine(self._parts, project)
        return self._others[project]

    @cached_property
    def embedder(self) -> Embedder:
        """The active profile's, or else the configuration's."""
        self._answering = active_profile(self.store, self.project.id)
        return self._parts.embedder() if self._answering is None else self.profile_embedder(self._answering)

    def profile_embedder(self, profile: NamedProfile) -> Embedder:
        """The embedder of a profile by name, whether or not it answers."""
        if self._parts.profile_embedder is None:
            raise ConfigurationError("this engine knows no embedding profiles by name")
        return self._parts.profile_embedder(profile)

    def configured_embedder(self) -> Embedder:
        """What answers while no profile by name is active."""
        return self._parts.embedder()

    @cached_property
    def accelerator(self) -> Accelerator | None:
        """Its snapshots, where this kind of library has them."""
        make = self._parts.accelerator
        return None if make is None else make(self.store, self.project, lambda: self.embedder)

    @property
    def vectors(self) -> VectorIndex:
        """Those of a snapshot, once there is one."""
        return self._quick_vectors if self._accelerated else self._exact_vectors

    @cached_property
    def _exact_vectors(self) -> VectorIndex:
        return self._parts.vectors(self.store, self.project, self.embedder)

    @cached_property
    def _quick_vectors(self) -> VectorIndex:
        assert self.accelerator is not None
        return self.accelerator.vectors(lambda: self._exact_vectors)

    @property
    def _accelerated(self) -> bool:
        return self.accelerator is not None and self.accelerator.published

    @cached_property
    def reranker(self) -> MeasuredReranker:
        """Kept, because it learns what a pair costs."""
        if self._parts.reranker is None:
            raise ConfigurationError("no reranker is configured")
        return MeasuredReranker(self._parts.reranker())

    @cached_property
    def desk(self) -> Desk:
        """Where this project's memories are read and written."""
        from recto.engine.recipes import settle_recipe
        from recto.memory.desk import Desk, memories_collection, record_collection

        collection = memories_collection(self.store, self.project.id)

        @cache
        def settle() -> None:
            settle_recipe(self)
            record_collection(self.store, collection)

        return Desk(
            store=self.store,
            collection=collection,
            recipe=self.recipe(collection.settings),
            prepare=self._parts.preparer(collection.settings).text,
            prepare_canonical=self._parts.preparer(replace(collection.settings, overlap_tokens=0)).text,
            analyse=self._parts.analyzer.tokens,
            clock=self._parts.clock,
            settle=settle,
        )

    def worker(self, name: str, pace: Pace) -> Worker:
        """Does this project's promised work. Any number of them may run, in any process."""
        from recto.jobs.handlers import handlers
        from recto.jobs.worker import Worker

        return Worker(self.store, self.project.id, name, handlers(self), pace, self._parts.clock)

    def recipe(self, settings: CollectionSettings = CollectionSettings()) -> Recipe:  # noqa: B008
        """How this configuration would index, with a collection's overrides if there are any."""
        return replace(self._parts.recipe(settings), embedding=self.embedder.profile)

    def follow_profile(self) -> None:
        """Drops what was made for a profile that no longer answers: another process may have let another take over."""
        if "embedder" in self.__dict__ and active_profile(self.store, self.project.id) != self._answering:
            for made in ("embedder", "_exact_vectors", "_quick_vectors", "desk", "accelerator"):
                self.__dict__.pop(made, None)

    def collections(self) -> tuple[Collection, ...]:
        return self.store.catalog.collections(self.project.id)

    def collection(self, name: str) -> Collection:
        for collection in self.collections():
            if collection.name == name:
                return collection
        raise NotFound(f"there is no collection {name}", hint="`recto list` shows the collections")

    def add_collection(self, name: str, root: Path, settings: CollectionSettings | None = None) -> Collection:
        """Adding a name again replaces its root and settings; what it indexed stays until the next run."""
        if not name or name != name.strip() or any(character in name for character in "/\\\0\n:"):
            raise InvalidArgument(f"{name!r} cannot name a collection", hint="use letters, digits, - and _")
        if name == MEMORIES:
            raise InvalidArgument(f"{name} is where memories are kept", hint="give the collection another name")
        if not root.is_dir():
            raise SourceError(f"{root} is not a folder", hint="give the folder that holds the documents")
        settings = settings or CollectionSettings()
        collection = Collection(collection_id(self.project.id, name), self.project.id, name, root.resolve(), settings)
        with self.store.transaction():
            self.store.catalog.put_collection(collection)
        return collection

    def remove_collection(self, name: str) -> Collection:
        collection = self.collection(name)
        if name == MEMORIES and not collection.on_disk:
            raise InvalidArgument(f"{name} is where memories are kept", hint="`recto forget` puts one of them away")
        with self.store.transaction():
            self.store.catalog.remove_collection(self.project.id, collection.id)
            self.store.graph.settle(self.project.id)
        return collection

    def index(
        self,
        names: Sequence[str] = (),
        *,
        embed: bool = True,
        reread: bool = False,
        prefix: str = "",
        wait_full: bool = False,
        progress: Progress | None = None,
        patience: float | None = None,
    ) -> IndexReport:
        """Brings the named collections (all when none is named) in step with the disk, then fills in vectors.

        `reread` looks at every file, whatever its stamp says; `prefix` confines the run to uris that start so. Many
        full vectors are left to workers, unless `wait_full`: fast ones stand in for them. Only one run goes on at a
        time, whichever process it is in: this one waits, or after `patience` seconds is `Busy`.
        """
        work = self.indexing(names, embed=embed, reread=reread, prefix=prefix, wait_full=wait_full)
        report = self.builds.run("full" if reread else "changed", work, progress, patience=patience).report
        assert report is not None
        return report

    def indexing(self, names: Sequence[str] = (), **how: Any) -> Work:
        """What `index` does with the same arguments, for `builds` to do."""
        from recto.engine.indexing import index_folders

        return lambda progress: index_folders(self, names, progress, **how)

    def index_changes(
        self, changes: Changes, *, progress: Progress | None = None, patience: float | None = None
    ) -> IndexReport:
        """Takes in what happened at and below some paths, by collection: a look at these and no others.

        None for paths is the whole folder. Vectors are left to `embed`, but for those of what was just written.
        """
        from recto.engine.indexing import index_changes

        report = self.builds.run("watched", partial(index_changes, self, changes), progress, patience=patience).report
        assert report is not None
        return report

    def embed(self, limit: int, *, progress: Progress | None = None, patience: float | None = None) -> int:
        """Gives some of the chunks that have no vector theirs; how many."""
        from recto.engine.indexing import embed_some

        report = self.builds.run("vectors", partial(embed_some, self, limit), progress, patience=patience).report
        return report.embedded if report else 0

    def upgrade(self, most: int) -> int:
        """Replaces some fast vectors by full ones, beside whatever else is done; how many."""
        from recto.observability.progress import NoProgress

        return upgrade(self, most, NoProgress())

    def make_inputs(self) -> None:
        """What is embedded of chunks that a run without embedding wrote."""
        from recto.observability.progress import NoProgress

        make_inputs(self, NoProgress())

    def index_texts(
        self, collection: Collection, sources: Sequence[Source], *, progress: Progress | None = None
    ) -> CollectionReport:
        """Takes in texts that are in no folder, then fills in their vectors. Same flow, same store, same recipe."""
        from recto.engine.indexing import index_texts
        from recto.observability.progress import NoProgress

        return index_texts(self, collection, sources, progress or NoProgress())

    def search(self, query: Query, profile: Profile | None = None) -> Result:
        """Parses the query's syntax, runs the profile, presents the hits."""
        profile = profile or PROFILES[DEFAULT_PROFILE]
        if profile.embeds and "embedder" not in self.__dict__ and self._loading is None:
            self._loading = load_ahead(lambda: self.embedder, query.hypothesis or query.terms.text or query.text)
        return self._answered(query, profile.name, partial(run, profile))

    def record(self, query: Query, profile: Profile) -> tuple[Result, Recording]:
        """The same answer as `search`, and what it takes to get it again."""
        from recto.retrieval.replay import run_recorded

        kept: list[Recording] = []

        def recorded(parsed: Query, library: Library) -> Answered:
            answered, recording = run_recorded(profile, parsed, library)
            kept.append(recording)
            return answered

        return self._answered(query, profile.name, recorded), kept[0]

    def replay(self, recording: Recording) -> Result:
        """What a recorded search answered, from what its channels said then; no model is asked."""
        from recto.retrieval.replay import replay

        name = recording.profile_name
        return self._answered(recording.query, name, lambda _, library: replay(recording, library))

    def profile(self, name: str) -> Profile:
        """A built-in retrieval profile, or one of the user's or the project's own."""
        if name in PROFILES:
            return PROFILES[name]
        from recto.retrieval.toml import find_profile

        return find_profile(name, self._parts.profile_folders)

    def _answered(self, query: Query, profile: str, answer: Callable[[Query, Library], Answered]) -> Result:
        started = time.perf_counter()
        self.follow_profile()
        parsed, library = self._parsed(query), self._library()
        with self.store.reading():
            check_cursor(parsed)
            candidates, trace = answer(parsed, library)
            hits = marked(self, present(candidates, parsed, library))
            freshness = self.freshness()
        write_down(library)
        if freshness.pending and self.defaults.count_hits:
            self.hits.note(one.key for one in candidates[: parsed.limit])
        if self._loading is not None and not self._loading.is_alive():
            self._loading = None
        took = (time.perf_counter() - started) * 1e3
        return Result(query.text, profile, hits, trace, freshness, took, next_cursor(trace))

    def candidates(self, query: Query, profile: Profile) -> tuple[Candidate, ...]:
        """Everything the profile ranks for a query, in order and not presented: what evaluation scores documents by."""
        library = self._library()
        with self.store.reading():
            candidates, _ = run(profile, self._parsed(query), library)
        write_down(library)
        return candidates

    def freshness(self) -> Freshness:
        """How much of what is on the disk an answer can see now."""
        return as_of_now(self, self._counts.now(), self._parts.clock())

    def _parsed(self, query: Query) -> Query:
        if query.terms.text:
            return query
        terms, written = parse_query(query.text, self._parts.analyzer)
        return replace(query, terms=terms, filters=query.filters.narrowed_by(written))

    def _library(self) -> Library:
        quick = self.accelerator if self._accelerated else None
        return Library(
            store=self.store if quick is None else quick.reading,
            project=self.project.id,
            embedder=lambda: self.embedder,
            vectors=lambda: self.vectors,
            now=self._parts.clock,
            analyse=self._parts.analyzer.query_tokens,
            beginning=self._parts.analyzer.prefix,
            reranker=None if self._parts.reranker is None else lambda: self.reranker,
            clusters=None if self.accelerator is None else self.accelerator.clusters,
            # While the model is being loaded already, nobody else should begin to.
            beside=self._beside if self._loading is None else None,
        )

    def _ensure_project(self, name: str) -> Project:
        for project in self.store.catalog.projects():
            if project.name == name:
                return project
        with self.store.transaction():
            return self.store.catalog.ensure_project(name)
