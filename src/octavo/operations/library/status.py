"""What the library holds, how the work over it stands, and whether its folders are watched."""

from __future__ import annotations

from pathlib import Path

from octavo.algorithms.text.time_parsing_and_formatting import when
from octavo.engine.engine import Engine
from octavo.engine.maintenance.library_wide_job_states import offline_runs
from octavo.engine.maintenance.maintenance_advisories import advisories
from octavo.fast_dataclass import replace
from octavo.operations.answer_conversion import filled
from octavo.operations.library.collections import collection_problems, collection_state
from octavo.operations.library.excluded_file_counts import merged
from octavo.operations.library.indexing import indexing_run
from octavo.operations.library.requests import StatusRequest, WatchRequest
from octavo.operations.library.results import LedgerProblem, StatusAnswer, WatchAnswer
from octavo.version import __version__

_SHOWN = 50  # collections, and problems, in one answer


def status(engine: Engine, request: StatusRequest) -> StatusAnswer:
    whole = full_status(engine, problems=request.problems)
    problems = None if whole.problems is None else whole.problems[:_SHOWN]
    return replace(whole, collections=whole.collections[:_SHOWN], problems=problems)


def full_status(engine: Engine, *, problems: bool = False) -> StatusAnswer:
    """Every collection and every problem, however many."""
    counts = engine.store.counts(engine.project.id)
    recipe = engine.store.catalog.recipe(engine.project.id)
    build = engine.builds.current()
    collections = tuple(collection_state(engine, collection) for collection in engine.collections())
    fresh = engine.freshness()
    job = indexing_run(build) if build else None
    if job and job.phase and job.scope == "vectors":
        # Such a run is one of many short ones: how far they are together is what tells.
        job = replace(job, done=counts.chunks - fresh.pending, total=counts.chunks)
    return filled(
        StatusAnswer,
        counts,
        version=__version__,
        project=engine.project.name,
        library=str(engine.location or Path(":memory:")),
        library_bytes=engine.store.size(),
        full_vectors=round(fresh.full_vectors, 4),
        collections=tuple(replace(collection, left_out=None) for collection in collections),
        model=recipe.embedding.name if recipe else None,
        job=job,
        watch=watch_state(engine),
        problems=_problems(engine) if problems else None,
        advisories=advisories(engine, counts.chunks),
        offline=offline_runs(engine, counts.chunks),
        recipe=recipe,
        left_out=merged(group for collection in collections for group in collection.left_out or ()),
    )


def _problems(engine: Engine) -> tuple[LedgerProblem, ...]:
    return tuple(problem for collection in engine.collections() for problem in collection_problems(engine, collection))


def watch(engine: Engine, request: WatchRequest) -> WatchAnswer:
    watching = engine.watcher
    if request.debounce_ms is not None:
        watching.settings = replace(watching.settings, debounce_ms=request.debounce_ms)
    if request.enabled is True:
        watching.start()
    elif request.enabled is False:
        watching.stop()
    return watch_state(engine)


def watch_state(engine: Engine) -> WatchAnswer:
    state = engine.watcher.state()
    last = None if state.last_event is None else when(state.last_event)
    return WatchAnswer(state.active, state.queued, engine.watcher.settings.debounce_ms, state.folders, last)
