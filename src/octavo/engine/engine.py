"""The engine: an open library with its reader, its writer, and what goes on in the background."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Self

from octavo.config.retrieval_settings import Retrieval
from octavo.engine.caller_permissions import current_caller
from octavo.engine.indexing.index_options import IndexOptions
from octavo.engine.library_search import Reader
from octavo.errors import LibraryError, NotFound
from octavo.ports import Embedder, EntityFinder, LanguageModel, Summariser, VectorIndex

if TYPE_CHECKING:
    # What only the writing flow needs is imported where it is used: a search does not pay for it.

    from octavo.algorithms.model_inputs.prompt_file_parsing import PromptFile
    from octavo.config.schema import Config, Jobs
    from octavo.engine.active_embedding_profile import EmbeddingSetup
    from octavo.engine.indexing.folder_watcher import Watcher
    from octavo.engine.indexing.index_runs import IndexRuns
    from octavo.engine.library_federation import LibraryGroup
    from octavo.engine.library_indexing import Writer
    from octavo.engine.open_project_library import OpenLibrary
    from octavo.engine.processes.job_threads import JobThreads
    from octavo.ingest.indexing_report import IndexReport
    from octavo.ingest.snapshot_search_accelerator import Accelerator
    from octavo.jobs.worker import JobWorker
    from octavo.memory.project_memories import ProjectMemories
    from octavo.model.embedding_profile import NamedEmbeddingProfile
    from octavo.model.language_model_settings import Role
    from octavo.model.library_location import Location
    from octavo.model.projects_and_collections import Collection, Project
    from octavo.note_editing.project_notes import ProjectNotes
    from octavo.observability.progress import Progress
    from octavo.ports import Observer

_INDEX_PATIENCE = 2.0  # seconds that a changed note waits for other writers


class Engine:
    """Opened once, used by every interface. Reading is safe from several threads; writing queues behind `builds`."""

    def __init__(self, library: OpenLibrary, *, loading: threading.Thread | None = None) -> None:
        self.library = library
        self.store = library.store
        self.project = library.project
        self.reader = Reader(library, self._queued, loading)
        self.search, self.record, self.replay = self.reader.search, self.reader.record, self.reader.replay
        self.candidates, self.freshness = self.reader.candidates, self.reader.freshness
        self.retrieval_profile = self.reader.retrieval_profile
        self.collections, self.collection, self.recipe = library.collections, library.collection, library.recipe
        self.add_collection, self.remove_collection = library.add_collection, library.remove_collection
        self._watcher: Watcher | None = None
        self._job_threads: JobThreads | None = None
        self._others: dict[str, Engine] = {}
        self.others: LibraryGroup | None = None
        """The libraries that searches look into beside this one."""
        self._memories: tuple[EmbeddingSetup, ProjectMemories] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        if self.watched:
            self.builds.stop(0.0)  # its run ends at the next report
            self.watcher.stop()
        if self.others is not None:
            self.others.close()
        for engine in (self, *self._others.values()):
            engine.reader.close()
        self.store.close()

    def own_roots(self) -> dict[str, Path]:
        """Where each collection's documents lie on disk."""
        return {collection.name: collection.root for collection in self.collections() if collection.on_disk}

    def roots(self) -> dict[str, Path]:
        """The same, and by names with their library where several are searched."""
        return self.own_roots() if self.others is None else self.others.roots(self.own_roots())

    @property
    def builds(self) -> IndexRuns:
        return self.library.builds

    @property
    def observers(self) -> list[Observer]:
        """Told of searches and jobs, in every project of the library."""
        return self.library.adapters.observers

    @property
    def location(self) -> Location | None:
        return self.library.location

    @property
    def defaults(self) -> Retrieval:
        return self.library.config.retrieval

    @property
    def embedder(self) -> Embedder:
        return self.library.active.embedder

    @property
    def vectors(self) -> VectorIndex:
        return self.library.active.vectors

    def language_model(self, role: Role, name: str | None = None) -> LanguageModel | None:
        """The configured model of a role, or one by its name; None where no model has the role."""
        return self.library.language_model(role, name)

    def summariser(self) -> Summariser | None:
        """What writes summaries: the model that has this role, if one has."""
        models, model = self.library.adapters.models, self.language_model("summarise")
        return models.summariser(model) if models is not None and model is not None else None

    def entity_finder(self) -> EntityFinder | None:
        """What finds names in documents: the model that also summarises, if there is one."""
        models, model = self.library.adapters.models, self.language_model("summarise")
        return models.entity_finder(model) if models is not None and model is not None else None

    def own_prompts(self, profile: str) -> Callable[[str], PromptFile | None]:
        """Prompts of the user's own by name: for one retrieval profile, or for all."""
        return self.library.adapters.own_prompts(profile)

    @property
    def tokenise(self) -> Callable[[str], Sequence[str]]:
        """Text → every token, as the index has them."""
        return self.library.adapters.analyzer.tokens

    @property
    def logs_queries(self) -> bool:
        """Whether what is asked, shown and opened is written down."""
        return self.library.config.log.queries

    @property
    def traces(self) -> Path | None:
        """The folder that gets the trace of every search, if one does."""
        return self.library.config.log.traces

    @property
    def reranks_by_model(self) -> bool:
        """Whether a language model has the role of reranking."""
        return self.library.config.llm.reranks_by_model

    @property
    def accelerator(self) -> Accelerator | None:
        return self.library.active.accelerator

    @cached_property
    def writer(self) -> Writer:
        from octavo.engine.library_indexing import Writer

        return Writer(self.library, lambda: self._job_threads is not None and self._job_threads.active)

    @property
    def watcher(self) -> Watcher:
        """Keeps the library in step with its folders, once it is started."""
        if self._watcher is None:
            from octavo.engine.indexing.folder_watcher import Watcher

            self._watcher = Watcher(self.library, self.reader, self.writer)
        return self._watcher

    @property
    def watched(self) -> bool:
        """Whether folders are followed now; asking does not make a watcher."""
        return self._watcher is not None and self._watcher.active

    @property
    def job_threads(self) -> JobThreads:
        """Run the jobs of a process that lives on, once they are started."""
        if self._job_threads is None:
            from octavo.engine.processes.job_threads import JobThreads

            self._job_threads = JobThreads(self)
        return self._job_threads

    @property
    def memories(self) -> ProjectMemories:
        """Where this project's memories are read and written."""
        setup = self.library.active.setup
        if self._memories is None or self._memories[0] is not setup:
            from octavo.engine.open_project_memories import project_memories

            self._memories = (setup, project_memories(self.library))
        return self._memories[1]

    @cached_property
    def notes(self) -> ProjectNotes:
        """Where the notes of this project's collections are read and changed."""
        from octavo.note_editing.project_notes import ProjectNotes

        return ProjectNotes(self.library, self._index_now)

    def _index_now(self, collection: Collection, paths: Sequence[str]) -> None:
        self.writer.index_changes({collection.name: list(paths)}, patience=_INDEX_PATIENCE)

    def within(self, project: str) -> Engine:
        """The same open library, seen from another of its projects. Nothing crosses unless asked for by name."""
        caller = current_caller()
        # One that the caller may not enter is as good as one that is not there.
        hidden = caller is not None and not caller.sees(project)
        if project == self.project.name and not hidden:
            return self
        if project not in self._others or hidden:
            if hidden or project not in {known.name for known in self.store.catalog.projects()}:
                raise NotFound(f"there is no project {project}", hint="`octavo projects list` shows the projects")
            self._others[project] = Engine(self.library.within(project))
        return self._others[project]

    def visible_projects(self) -> tuple[Project, ...]:
        """All projects, or those that the caller of a server may enter."""
        caller, projects = current_caller(), self.store.catalog.projects()
        return tuple(project for project in projects if caller is None or caller.sees(project.name))

    def in_memory(self) -> Engine:
        """An empty library in memory, with the same project, recipe and model; gone once it is closed."""
        return Engine(self.library.in_memory())

    def use(self, config: Config) -> None:
        """Goes by another configuration from now on, in every project: what needs no other model and no other store."""
        for engine in (self, *self._others.values()):
            engine.library.config = config

    def job_worker(self, name: str, settings: Jobs) -> JobWorker:
        """Does this project's jobs. Any number of them may run, in any process."""
        from octavo.jobs.worker import worker_of

        return worker_of(self, name, settings, self.library.adapters.clock)

    def profile_embedder(self, profile: NamedEmbeddingProfile) -> Embedder:
        """The embedder of a profile by name, whether or not it answers."""
        return self.library.adapters.profile_embedder(profile)

    def configured_embedder(self) -> Embedder:
        """What answers while no profile by name is active."""
        return self.library.adapters.embedder()

    def follow_active_profile(self) -> None:
        """Uses the embedding profile that is active now: another process may have let another take over."""
        self.library.active.follow()

    def index(
        self,
        names: Sequence[str] = (),
        *,
        embed: bool = True,
        reread: bool = False,
        prefix: str = "",
        wait_full: bool = False,
        confirm_removals: bool = False,
        progress: Progress | None = None,
        patience: float | None = None,
    ) -> IndexReport:
        """Brings collections in step with the disk: see `Writer.index`."""
        options = IndexOptions(
            tuple(names),
            embed=embed,
            reread=reread,
            prefix=prefix,
            wait_full=wait_full,
            confirm_removals=confirm_removals,
        )
        return self.writer.index(options, progress=progress, patience=patience)

    def damage_behind(self) -> LibraryError | None:
        """The damage that an error may come from: what a quick check finds."""
        damages = self.writer.damage(self)
        return (
            LibraryError(f"the library is damaged: {damages[0].message}", hint="run `octavo db repair`")
            if damages
            else None
        )

    def repair(self) -> None:
        """Makes anew what is damaged and derives from texts, folders and models."""
        import_module("octavo.engine.maintenance.library_repair").mend_derived(self)

    def _queued(self) -> int:
        """Paths that wait to be indexed, without those that were when Octavo wrote them."""
        return self._watcher.unseen() if self._watcher is not None and self._watcher.active else 0
