"""Bring the library in step with its folders, at once or in the background."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Annotated

from recto.engine.builds import Build
from recto.engine.engine import Engine
from recto.engine.parts import IndexReport
from recto.errors import InvalidArgument, NotIndexed
from recto.model.limits import Field
from recto.observability.progress import Progress
from recto.operations import fields
from recto.operations.hits import when

SCOPES = ("changed", "full", "prefix")
_PATIENCE = 1.0  # seconds: what a watcher does is mostly over by then
_SHOWN = 20  # problems in an answer; `status` has them all


@dataclass(frozen=True, slots=True)
class ReindexRequest:
    """`changed` reads what moved since; `full` reads every file again. A `prefix` confines either; the scope `prefix`
    is the same as `changed`."""

    scope: Annotated[
        str,
        Field(description="changed files, full (read every file again) or prefix.", json_schema_extra={"enum": SCOPES}),
    ] = "changed"
    prefix: Annotated[str, Field(max_length=4_096, description="Only uris that start so.")] | None = None
    collections: fields.Collections = ()
    wait: Annotated[bool, Field(description="Answer when it is done rather than at once; status tells meanwhile.")] = (
        False
    )


@dataclass(frozen=True, slots=True)
class FileProblem:
    collection: str
    uri: str
    reason: str


@dataclass(frozen=True, slots=True)
class Job:
    """A run: how far it is, or what it did. `problems` are the first few; `process` is another one's number."""

    number: int
    scope: str
    state: str
    started_at: str
    finished_at: str | None = None
    phase: str | None = None
    done: int | None = None
    total: int | None = None
    unit: str | None = None
    error: str | None = None
    process: str | None = None
    added: int | None = None
    changed: int | None = None
    moved: int | None = None
    removed: int | None = None
    unchanged: int | None = None
    failed: int | None = None
    embedded: int | None = None
    problems: tuple[FileProblem, ...] = ()


def reindex(engine: Engine, request: ReindexRequest, progress: Progress) -> Job:
    """Starts a run, or with `wait` does it here. Busy when one is under way and nobody waits."""
    if request.scope not in SCOPES:
        raise InvalidArgument(f"there is no scope {request.scope}", hint=f"choose one of: {', '.join(SCOPES)}")
    prefix = _prefix(request)
    names = tuple(engine.collection(name).name for name in request.collections)
    if not engine.collections():
        raise NotIndexed("the library has no collections", hint="run `recto add FOLDER --name NAME`")
    work = engine.indexing(names, reread=request.scope == "full", prefix=prefix)
    if request.wait:
        return job(engine.builds.run(request.scope, work, progress))
    return job(engine.builds.start(request.scope, work, patience=_PATIENCE))


def _prefix(request: ReindexRequest) -> str:
    prefix = request.prefix or ""
    if prefix.startswith(("/", "\\")) or ".." in prefix.split("/") or "\0" in prefix:
        raise InvalidArgument(
            f"{prefix!r} is not the start of a uri", hint="uris are paths inside a collection, without a leading slash"
        )
    return prefix


def job(build: Build) -> Job:
    running = build.finished_at is None
    base = Job(
        number=build.number,
        scope=build.scope,
        state=build.state,
        started_at=when(build.started_at),
        finished_at=None if build.finished_at is None else when(build.finished_at),
        phase=build.phase or None if running else None,
        done=build.done if running else None,
        total=build.total if running else None,
        unit=build.unit or None if running else None,
        error=build.error,
        process=build.process or None,
    )
    return base if build.report is None else _with_report(base, build.report)


def _with_report(base: Job, report: IndexReport) -> Job:
    parts = report.collections
    problems = [FileProblem(one.uri, "", one.reason) for one in report.missing]
    for part in parts:
        problems += [FileProblem(part.name, one.uri, one.reason) for one in (*part.failed, *part.unreadable)]
    return replace(
        base,
        added=sum(part.added for part in parts),
        changed=sum(part.changed for part in parts),
        moved=sum(part.moved for part in parts),
        removed=sum(part.removed for part in parts),
        unchanged=sum(part.unchanged for part in parts),
        failed=sum(len(part.failed) for part in parts),
        embedded=report.embedded,
        problems=tuple(problems[:_SHOWN]),
    )


def text(answer: Job) -> str:
    """`Indexing (changed) is running: notes, 3 of 10 B.`"""
    known = {name: value for name, value in asdict(answer).items() if value is not None}
    by = f" in process {answer.process}" if answer.process else ""
    lines = [f"Indexing run {answer.number} ({answer.scope}) is {answer.state}{by}, begun {answer.started_at}."]
    if answer.phase:
        total = "" if answer.total is None else f" of {answer.total}"
        lines.append(f"{answer.phase}: {answer.done}{total} {answer.unit or ''}".rstrip())
    figures = ("added", "changed", "moved", "removed", "unchanged", "failed", "embedded")
    if answer.added is not None:
        lines.append(f"Ended {answer.finished_at}: " + ", ".join(f"{known[name]} {name}" for name in figures) + ".")
    if answer.error:
        lines.append(f"Error: {answer.error}")
    lines += [f"- {one.collection}/{one.uri}: {one.reason}" for one in answer.problems]
    return "\n".join(lines)
