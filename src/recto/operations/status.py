"""What the library holds, and whether anything is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from recto import __version__
from recto.engine.advisories import advisories
from recto.engine.builds import Build
from recto.engine.engine import Engine
from recto.engine.offline import offline_runs
from recto.errors import ProviderFailed
from recto.model.advisory import Advisory, OfflineRun
from recto.model.collection import Collection
from recto.model.commit import is_repository
from recto.model.job import JobState
from recto.model.ledger import LedgerEntry, Outcome
from recto.model.limits import Field
from recto.model.location import Location
from recto.model.recipe import Recipe
from recto.model.stored import LibraryCounts
from recto.operations.quoting import one_line
from recto.operations.reindex import Job, job
from recto.operations.reindex import text as job_text
from recto.operations.watch import WatchAnswer
from recto.operations.watch import text as watch_text
from recto.operations.watch import told as watched

_SHOWN = 50  # collections, and problems, in one answer


@dataclass(frozen=True, slots=True)
class CollectionStatus:
    collection: Collection
    present: bool
    indexed: int
    skipped: int
    failed: int
    problems: tuple[LedgerEntry, ...]
    """Files that failed, were skipped, or were indexed with a warning."""
    commits: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    library: Location
    library_bytes: int
    project: str
    counts: LibraryCounts
    full_vectors: float
    recipe: Recipe | None
    collections: tuple[CollectionStatus, ...]
    build: Build | None = None
    """The indexing run under way in any process."""
    advisories: tuple[Advisory, ...] = ()
    offline: tuple[OfflineRun, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing the doctor looked at."""

    name: str
    ok: bool
    message: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class StatusRequest:
    problems: Annotated[bool, Field(description="List files that failed, were skipped or have warnings.")] = False


@dataclass(frozen=True, slots=True)
class CollectionState:
    """What a collection holds, and the settings it has of its own."""

    name: str
    root: str
    present: bool
    indexed: int
    skipped: int
    failed: int
    commits: int = 0
    include: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kind: str | None = None
    history: bool | None = None
    max_commits: int | None = None
    max_heading_depth: int | None = None
    intelligent_heading_depth: bool | None = None


@dataclass(frozen=True, slots=True)
class LedgerProblem:
    """A file that failed, was skipped, or was indexed with warnings."""

    collection: str
    uri: str
    outcome: str
    reason: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OfflineState:
    """How the last run of some work over the whole library stands; of how many chunks, where that is known."""

    name: str
    state: str
    at: str
    chunks: int | None = None


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """`job` is the indexing run under way, in whichever process, or the last one of this one."""

    version: str
    project: str
    library: str
    library_bytes: int
    documents: int
    sections: int
    chunks: int
    text_bytes: int
    full_vectors: float
    collections: tuple[CollectionState, ...]
    model: str | None = None
    job: Job | None = None
    watch: WatchAnswer | None = None
    problems: tuple[LedgerProblem, ...] | None = None
    advisories: tuple[Advisory, ...] = ()
    offline: tuple[OfflineState, ...] = ()
    recipe: Recipe | None = None


@dataclass(frozen=True, slots=True)
class HealthRequest:
    deep: Annotated[bool, Field(description="Read the whole library as well, which takes a while.")] = False


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    ok: bool
    checks: tuple[Check, ...]


def status(engine: Engine, request: StatusRequest) -> StatusAnswer:
    told = answered(engine, look(engine))
    problems = None if told.problems is None or not request.problems else told.problems[:_SHOWN]
    return replace(told, collections=told.collections[:_SHOWN], problems=problems)


def answered(engine: Engine, found: Status) -> StatusAnswer:
    """All that was found, however much."""
    return StatusAnswer(
        version=__version__,
        project=found.project,
        library=str(found.library),
        library_bytes=found.library_bytes,
        documents=found.counts.documents,
        sections=found.counts.sections,
        chunks=found.counts.chunks,
        text_bytes=found.counts.text_bytes,
        full_vectors=round(found.full_vectors, 4),
        collections=tuple(collection_state(one) for one in found.collections),
        model=found.recipe.embedding.name if found.recipe else None,
        job=job(found.build) if found.build else None,
        watch=watched(engine),
        problems=tuple(problem_of(one, entry) for one in found.collections for entry in one.problems),
        advisories=found.advisories,
        offline=tuple(OfflineState(one.name, one.state, _instant(one.at), one.chunks) for one in found.offline),
        recipe=found.recipe,
    )


def offline_text(run: OfflineState) -> str:
    """`done 2026-02-20T23:05:01+00:00, of 467 chunks`"""
    return f"{run.state} {run.at}" + ("" if run.chunks is None else f", of {run.chunks:,} chunks")


def status_text(answer: StatusAnswer) -> str:
    model = f"{answer.full_vectors:.0%} of chunks have vectors of {answer.model}" if answer.model else "nothing yet"
    lines = [
        f"Recto {answer.version}, project {answer.project}, library {answer.library} ({answer.library_bytes} bytes)",
        f"{answer.documents} documents, {answer.sections} sections, {answer.chunks} chunks, "
        f"{answer.text_bytes} bytes of text; {model}",
    ]
    for one in answer.collections:
        there = "" if one.present else ", not there now: what it held is kept"
        figures = f"{one.indexed} indexed, {one.skipped} skipped, {one.failed} failed"
        figures += f", {one.commits} commits" if one.commits else ""
        lines.append(one_line(f"- {one.name} ({one.root or 'in no folder'}{there}): {figures}"))
    lines += [f"{one.level}: {one}" for one in answer.advisories]
    lines += [f"{one.name}: {offline_text(one)}" for one in answer.offline]
    lines += [job_text(answer.job)] if answer.job else []
    lines += [watch_text(answer.watch)] if answer.watch else []
    lines += [one_line(f"- {one.collection}/{one.uri}: {problem_text(one)}") for one in answer.problems or ()]
    return "\n".join(lines)


def health_check(engine: Engine, request: HealthRequest) -> HealthAnswer:
    checks = doctor(engine, deep=request.deep)
    return HealthAnswer(all(check.ok for check in checks), checks)


def health_text(answer: HealthAnswer) -> str:
    lines = ["All is well." if answer.ok else "Something is wrong."]
    for check in answer.checks:
        hint = f" ({check.hint})" if check.hint and not check.ok else ""
        lines.append(one_line(f"- {'ok' if check.ok else 'WRONG'} {check.name}: {check.message}{hint}"))
    return "\n".join(lines)


def collection_state(one: CollectionStatus) -> CollectionState:
    settings = one.collection.settings
    return CollectionState(
        name=one.collection.name,
        root=one.collection.place,
        present=one.present,
        indexed=one.indexed,
        skipped=one.skipped,
        failed=one.failed,
        commits=one.commits,
        include=settings.include,
        ignore=settings.ignore,
        tags=settings.tags,
        kind=settings.kind.value if settings.kind else None,
        history=settings.history,
        max_commits=settings.max_commits,
        max_heading_depth=settings.max_heading_depth,
        intelligent_heading_depth=settings.intelligent_heading_depth,
    )


def problem_of(one: CollectionStatus, entry: LedgerEntry) -> LedgerProblem:
    return LedgerProblem(one.collection.name, entry.uri, entry.outcome.value, entry.reason, entry.warnings)


def problem_text(problem: LedgerProblem) -> str:
    """`skipped: it is empty`, `warning: its front matter is not YAML`"""
    outcome = "warning" if problem.outcome == Outcome.INDEXED.value else problem.outcome
    return f"{outcome}: {'; '.join(filter(None, (problem.reason, *problem.warnings)))}"


def look(engine: Engine) -> Status:
    library: Location = engine.library or Path(":memory:")
    counts = engine.store.counts(engine.project.id)
    return Status(
        library=library,
        library_bytes=engine.store.size(),
        project=engine.project.name,
        counts=counts,
        full_vectors=engine.freshness().full_vectors,
        recipe=engine.store.catalog.recipe(engine.project.id),
        collections=tuple(collection_status(engine, collection) for collection in engine.collections()),
        build=engine.builds.current(),
        advisories=advisories(engine, counts),
        offline=offline_runs(engine, counts),
    )


def collection_status(engine: Engine, collection: Collection) -> CollectionStatus:
    entries = engine.store.ledger.entries(engine.project.id, collection.id).values()
    files = [entry for entry in entries if not is_repository(entry.uri)]
    by = {outcome: sum(entry.outcome is outcome for entry in files) for outcome in Outcome}
    problems = [entry for entry in entries if entry.outcome is not Outcome.INDEXED or entry.warnings]
    return CollectionStatus(
        collection=collection,
        present=not collection.on_disk or collection.root.is_dir(),
        indexed=by[Outcome.INDEXED],
        skipped=by[Outcome.SKIPPED],
        failed=by[Outcome.FAILED],
        problems=tuple(sorted(problems, key=lambda entry: entry.uri)),
        commits=sum(entry.stamp.size for entry in entries if is_repository(entry.uri)),
    )


def _instant(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="seconds")


def doctor(engine: Engine, *, deep: bool = True) -> tuple[Check, ...]:
    """Looks at everything that can go wrong quietly; `deep` reads the whole library for damage."""
    problems = engine.store.check() if deep else ()
    sound = f"{engine.library} is sound" if deep else f"{engine.library} answers"
    hint = "`recto db repair` makes anew what can be made anew; else restore a backup" if problems else None
    checks = [Check("library", not problems, "; ".join(problems) or sound, hint)]
    if server := engine.store.server():
        checks.append(Check("server", True, server))
    checks.append(_recipe_check(engine))
    checks.append(_model_check(engine))
    checks.append(_jobs_check(engine))
    checks += (_collection_check(collection_status(engine, collection)) for collection in engine.collections())
    return tuple(checks)


def _collection_check(one: CollectionStatus) -> Check:
    name = f"collection {one.collection.name}"
    if not one.present:
        hint = "mount it again, or `recto remove` the collection"
        return Check(name, False, f"{one.collection.root} is not there; what it held is kept", hint)
    message = f"{one.indexed} indexed, {one.skipped} skipped, {one.failed} failed"
    return Check(name, not one.failed, message, "`recto status --problems` gives the reasons" if one.failed else None)


def _recipe_check(engine: Engine) -> Check:
    recorded, wanted = engine.store.catalog.recipe(engine.project.id), engine.recipe()
    if recorded is None:
        return Check("recipe", True, "nothing is indexed yet")
    differing = recorded.differences(wanted)
    if not differing:
        return Check("recipe", True, f"indexed as configured ({wanted.embedding.name})")
    hint = "`recto index` re-indexes what differs"
    if "embedding" in differing:
        hint = "set embedding.provider and embedding.model back, or index into a new library"
    return Check("recipe", False, f"the configuration differs in: {', '.join(differing)}", hint)


def _jobs_check(engine: Engine) -> Check:
    outbox, project = engine.store.outbox, engine.project.id
    dead = len(outbox.jobs(project, [JobState.DEAD]))
    waiting = len(outbox.jobs(project, [JobState.READY, JobState.LEASED]))
    pending = engine.freshness().pending
    if dead:
        return Check(
            "jobs", False, f"{dead} jobs were given up", "`recto jobs list` says why, `recto jobs retry` tries again"
        )
    if pending and not waiting:
        return Check("jobs", False, f"{pending} chunks have no vector and no job will make them", "run `recto index`")
    return Check("jobs", True, f"waiting: {waiting}" if waiting else "nothing is left to do")


def _model_check(engine: Engine) -> Check:
    try:
        profile = engine.embedder.profile
        vector = engine.embedder.embed_query("straight to the right page")
        # Only an embedder that has files can find them damaged.
        damage: tuple[str, ...] = getattr(engine.embedder, "verify", tuple)()
    except ProviderFailed as error:
        return Check("model", False, error.message, error.hint)
    if damage:
        return Check("model", False, "; ".join(damage), "install Recto again, or the model's folder")
    sound = vector.shape == (profile.dimensions,) and abs(float(vector @ vector) - 1.0) < 1e-3
    message = f"{profile.name} answers with {profile.dimensions} dimensions"
    return Check("model", sound, message if sound else f"{profile.name} gives vectors of the wrong kind")
