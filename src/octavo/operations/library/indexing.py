"""Bring the library in step with its folders, at once or in the background."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from octavo.algorithms.queries.path_globs import glob_expression
from octavo.engine.engine import Engine
from octavo.engine.indexing.index_options import IndexOptions
from octavo.engine.indexing.index_runs import Build
from octavo.engine.maintenance.damage_check import damage
from octavo.engine.maintenance.maintenance_advisories import advisories
from octavo.errors import InvalidArgument, NotIndexed
from octavo.fast_dataclass import replace
from octavo.ingest.indexing_report import IndexReport
from octavo.model.ids import RecipeId
from octavo.model.library_damage import LibraryPart
from octavo.observability.progress import Progress
from octavo.operations.answer_conversion import filled
from octavo.operations.library.excluded_file_counts import excluded_files
from octavo.operations.library.requests import IndexRequest, ReindexRequest
from octavo.operations.library.results import FileProblem, IndexAnswer, IndexingRun, MissingFolder
from octavo.retrieval.absolute_path_and_address_lookup import path_in_collection

_INDEX_PATIENCE = 2.0  # seconds: what a watcher does is mostly over by then
_REINDEX_PATIENCE = 1.0
_SHOWN = 20  # problems in an answer; `status` has them all


def index(engine: Engine, request: IndexRequest, progress: Progress) -> IndexAnswer:
    """Busy when another process indexes and this one is not to wait."""
    if request.reread:
        _distrust_matching(engine, request)
    generation = engine.store.generation()
    report = engine.index(
        request.collections,
        embed=request.embed,
        wait_full=request.wait_full,
        confirm_removals=request.confirm_removals,
        progress=progress,
        patience=None if request.wait else _INDEX_PATIENCE,
    )
    # What a run that wrote nothing has not touched is looked at by `doctor`, and by whoever reads it.
    written = engine.store.generation() != generation
    damaged = tuple(problem.message for problem in damage(engine, quick=True)) if written else ()
    advised = advisories(engine, engine.store.embeddings.chunks(engine.project.id))
    return replace(answered(report), advisories=advised, damaged=damaged or None)


def _distrust_matching(engine: Engine, request: IndexRequest) -> None:
    """What was made of files that match a pattern no longer counts, so that the run makes it again."""
    store, project = engine.store, engine.project.id
    patterns = [glob_expression(glob) for glob in request.reread]
    with store.transaction():
        for collection in engine.collections():
            if collection.on_disk and (not request.collections or collection.name in request.collections):
                entries = store.ledger.entries(project, collection.id)
                matching = [uri for uri in entries if any(pattern.fullmatch(uri) for pattern in patterns)]
                # As if made by no recipe: such a file is read although nothing about it changed.
                made_otherwise = [entries[uri]._replace(recipe_id=RecipeId("")) for uri in matching]
                store.ledger.record(project, collection.id, made_otherwise)
                store.ledger.distrust(project, collection.id, matching)


def answered(report: IndexReport) -> IndexAnswer:
    return IndexAnswer(
        collections=report.collections,
        missing=tuple(MissingFolder(problem.uri, problem.reason) for problem in report.missing),
        embedded=report.embedded,
        fast_vectors=report.fast,
        seconds=round(report.seconds, 3),
        read=sum(done.added + done.changed + done.moved + done.unchanged for done in report.collections),
        left_out=excluded_files(
            (problem.uri, problem.reason) for done in report.collections for problem in (*done.skipped, *done.failed)
        ),
    )


def reindex(engine: Engine, request: ReindexRequest, progress: Progress) -> IndexingRun:
    """Starts a run, or with `wait` does it here. Busy when one is under way and nobody waits."""
    request = _below_its_folder(engine, request)
    prefix = _prefix(request)
    if request.scope == "prefix" and not prefix:
        raise InvalidArgument(
            "the scope prefix needs a prefix",
            hint='say which uris: {"scope": "prefix", "prefix": "notes/"}',
            details={
                "field": "prefix",
                "value": request.prefix,
                "reason": "the scope is prefix",
                "valid_options": None,
            },
        )
    names = tuple(engine.collection(name).name for name in request.collections)
    if not engine.collections():
        raise NotIndexed("the library has no collections", hint="run `octavo add FOLDER --name NAME`")
    work = engine.writer.indexing(IndexOptions(names, reread=request.scope == "full", prefix=prefix))
    if request.scope == "full":
        work = partial(_mended_first, engine, names, prefix, work)
    if request.wait:
        return indexing_run(engine.builds.run(request.scope, work, progress))
    return indexing_run(engine.builds.start(request.scope, work, patience=_REINDEX_PATIENCE))


def _mended_first(
    engine: Engine, names: tuple[str, ...], prefix: str, work: Callable[[Progress], IndexReport], progress: Progress
) -> IndexReport:
    """Removes what a check finds damaged, so that reading every file again makes it anew."""
    store, project = engine.store, engine.project.id
    parts = {problem.part for problem in store.damage(progress=progress)}
    if LibraryPart.WORDS in parts:
        store.repair()
    if parts & {LibraryPart.DOCUMENTS, LibraryPart.VECTORS}:
        store.remove_damaged()
    if parts & {LibraryPart.DOCUMENTS, LibraryPart.WORDS}:
        with store.transaction():
            for collection in engine.collections():
                if collection.on_disk and (not names or collection.name in names):
                    uris = [uri for uri in store.ledger.entries(project, collection.id) if uri.startswith(prefix)]
                    store.ledger.distrust(project, collection.id, uris)
    return work(progress)


def indexing_run(build: Build) -> IndexingRun:
    running = build.finished_at is None
    run = filled(
        IndexingRun,
        build,
        phase=build.phase or None if running else None,
        done=build.done if running else None,
        total=build.total if running else None,
        unit=build.unit or None if running else None,
        process=build.process or None,
    )
    return run if build.report is None else _with_report(run, build.report)


def _with_report(run: IndexingRun, report: IndexReport) -> IndexingRun:
    collections = report.collections
    problems = [FileProblem(folder.uri, "", folder.reason) for folder in report.missing]
    for collection in collections:
        for problem in (*collection.failed, *collection.unreadable):
            problems.append(FileProblem(collection.name, problem.uri, problem.reason))
    return replace(
        run,
        added=sum(collection.added for collection in collections),
        changed=sum(collection.changed for collection in collections),
        moved=sum(collection.moved for collection in collections),
        removed=sum(collection.removed for collection in collections),
        unchanged=sum(collection.unchanged for collection in collections),
        failed=sum(len(collection.failed) for collection in collections),
        embedded=report.embedded,
        problems=tuple(problems[:_SHOWN]),
    )


def _below_its_folder(engine: Engine, request: ReindexRequest) -> ReindexRequest:
    """With the collection that an absolute path lies in, and the path inside of it."""
    place = path_in_collection(engine.collections(), request.prefix or "")
    if place is None or (request.collections and place[0].name not in request.collections):
        return request
    scope = "changed" if request.scope == "prefix" and not place[1] else request.scope
    return replace(request, scope=scope, collections=(place[0].name,), prefix=place[1] or None)


def _prefix(request: ReindexRequest) -> str:
    prefix = request.prefix or ""
    if prefix.startswith(("/", "\\")) or ".." in prefix.split("/") or "\0" in prefix:
        raise InvalidArgument(
            f"{prefix!r} is not the start of a uri", hint="uris are paths inside a collection, without a leading slash"
        )
    return prefix
