"""Indexes folders, changes and texts into an open library, and gives its chunks vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from octavo.engine.indexing.folder_and_change_indexing import (
    Changes,
    embed_some,
    index_changes,
    index_folders,
    index_texts,
)
from octavo.engine.indexing.full_vector_upgrade import make_inputs, upgrade
from octavo.engine.indexing.git_history_updates import index_moved
from octavo.engine.maintenance.damage_check import CheckableEngine, damage
from octavo.ingest.indexing_report import CollectionReport, IndexReport
from octavo.model.document import Source
from octavo.model.git_commit import Repository
from octavo.model.library_damage import Damage
from octavo.model.projects_and_collections import Collection
from octavo.observability.progress import NoProgress, Progress

if TYPE_CHECKING:
    from octavo.engine.indexing.index_options import IndexOptions
    from octavo.engine.indexing.index_runs import Build, Work
    from octavo.engine.open_project_library import OpenLibrary


class Writer:
    """Runs of the writing flow. One goes on at a time, whichever process it is in: others wait, or after `patience`
    seconds are `Busy`. `jobs_run_here` tells whether this process runs the library's jobs."""

    def __init__(self, library: OpenLibrary, jobs_run_here: Callable[[], bool] = bool) -> None:
        self._library = library
        self._jobs_run_here = jobs_run_here

    def index(
        self, options: IndexOptions, *, progress: Progress | None = None, patience: float | None = None
    ) -> IndexReport:
        """Brings collections in step with the disk, then fills in vectors."""
        return self._run("full" if options.reread else "changed", self.indexing(options), progress, patience)

    def indexing(self, options: IndexOptions) -> Work:
        """What `index` does, for `builds` to run."""
        return partial(index_folders, self._library, options)

    def index_changes(
        self, changes: Changes, *, progress: Progress | None = None, patience: float | None = None
    ) -> IndexReport:
        """Takes in what happened at and below some paths, by collection: a look at these and no others.

        None for paths is the whole folder. Vectors are left to `embed`, but for those of what was just written.
        """
        work = partial(index_changes, self._library, changes, jobs_run_here=self._jobs_run_here())
        return self._run("watched", work, progress, patience)

    def index_moved(self, moved: Mapping[str, Sequence[Repository]], *, patience: float | None = None) -> IndexReport:
        """Takes in the new commits of some repositories, by collection."""
        return self._run("history", partial(index_moved, self._library, moved), None, patience)

    def embed(self, limit: int, *, progress: Progress | None = None, patience: float | None = None) -> int:
        """Gives some of the chunks that have no vector theirs; how many."""
        return self._run("vectors", partial(embed_some, self._library, limit), progress, patience).embedded

    def index_texts(
        self, collection: Collection, sources: Sequence[Source], *, progress: Progress | None = None
    ) -> CollectionReport:
        """Takes in texts that are in no folder, then fills in their vectors. Same flow, same store, same recipe."""
        return index_texts(self._library, collection, sources, progress or NoProgress())

    def upgrade(self, most: int) -> int:
        """Replaces some fast vectors by full ones, while other things go on; how many."""
        return upgrade(self._library, most, NoProgress())

    def damage(self, engine: CheckableEngine) -> tuple[Damage, ...]:
        """What a quick check finds."""
        return damage(engine, quick=True)

    def make_inputs(self) -> None:
        """Makes what is embedded of chunks that a run without embedding wrote."""
        make_inputs(self._library, NoProgress())

    def _run(self, scope: str, work: Work, progress: Progress | None, patience: float | None) -> IndexReport:
        build: Build = self._library.builds.run(scope, work, progress, patience=patience)
        assert build.report is not None, "a run that ended without raising has a report"
        return build.report
