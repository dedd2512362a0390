"""Snapshots: which there are, a new one, an earlier one again, every byte of them checked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal

from recto.engine.engine import Engine
from recto.errors import InvalidArgument
from recto.ingest.accelerate import Accelerator, KeptSnapshot
from recto.model.ids import SnapshotId
from recto.model.limits import Field
from recto.observability.progress import Progress


@dataclass(frozen=True, slots=True)
class SnapshotsListRequest:
    verify: Annotated[bool, Field(description="Read every byte and compare it with what was written.")] = False


@dataclass(frozen=True, slots=True)
class SnapshotBuildRequest:
    full: Annotated[bool, Field(description="Carry nothing over from the one before.")] = False


@dataclass(frozen=True, slots=True)
class SnapshotRollbackRequest:
    snapshot: Annotated[str, Field(max_length=100, description="Which one; left out, the one before.")] | None = None


@dataclass(frozen=True, slots=True)
class ShownSnapshot:
    """`carried` of its `files` are those of the snapshot before. `problem` says why it is not used."""

    snapshot: str
    current: bool
    created_at: str | None
    chunks: int
    vectors: int
    shards: int
    bytes: int
    files: int
    carried: int
    seconds: float
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class SnapshotsAnswer:
    """`behind` chunks were written since the current one, or all there are where there is none: the library answers."""

    snapshots: tuple[ShownSnapshot, ...]
    behind: int
    state: Literal["used", "none", "damaged"]


def snapshots_list(engine: Engine, request: SnapshotsListRequest) -> SnapshotsAnswer:
    accelerator = _accelerator(engine)
    return _answer(engine, accelerator, accelerator.verify() if request.verify else accelerator.kept())


def snapshots_build(engine: Engine, request: SnapshotBuildRequest, progress: Progress) -> SnapshotsAnswer:
    accelerator = _accelerator(engine)
    accelerator.publish(progress, full=request.full)
    return _answer(engine, accelerator, accelerator.kept())


def snapshots_rollback(engine: Engine, request: SnapshotRollbackRequest) -> SnapshotsAnswer:
    accelerator = _accelerator(engine)
    accelerator.roll_back(None if request.snapshot is None else SnapshotId(request.snapshot))
    return _answer(engine, accelerator, accelerator.kept())


def snapshots_recover(engine: Engine) -> SnapshotsAnswer:
    """Clears away what builders left and lets the newest whole snapshot answer."""
    accelerator = _accelerator(engine)
    accelerator.recover()
    return _answer(engine, accelerator, accelerator.kept())


def snapshots_text(answer: SnapshotsAnswer) -> str:
    if not answer.snapshots:
        return f"No snapshots; {answer.behind} chunks are searched in the library itself."
    lines = []
    for one in answer.snapshots:
        state = "current" if one.current else "kept"
        said = f"{one.snapshot}: {state}, {one.chunks} chunks, {one.vectors} vectors, {one.bytes} bytes, "
        said += f"{one.carried} of {one.files} files carried over"
        lines.append(f"{said}; {one.problem}" if one.problem else said)
    return "\n".join([*lines, f"{answer.behind} chunks written since."])


def _accelerator(engine: Engine) -> Accelerator:
    if engine.accelerator is None:
        raise InvalidArgument(
            "this library has no snapshots: a server keeps indexes of its own, or snapshots.enabled is off",
            hint="`recto config show` says which library and which settings are in use",
        )
    return engine.accelerator


def _answer(engine: Engine, accelerator: Accelerator, kept: tuple[KeptSnapshot, ...]) -> SnapshotsAnswer:
    shown = tuple(_shown(one) for one in kept)
    state: Literal["used", "none", "damaged"] = "none"
    if any(one.current for one in shown):
        state = "used"
    elif any(one.problem for one in shown):
        state = "damaged"
    behind = accelerator.unseen() if state == "used" else engine.store.counts(engine.project.id).chunks
    return SnapshotsAnswer(shown, behind, state)


def _shown(one: KeptSnapshot) -> ShownSnapshot:
    manifest = one.manifest
    if manifest is None:
        return ShownSnapshot(one.id, one.current, None, 0, 0, 0, 0, 0, 0, 0.0, one.problem)
    return ShownSnapshot(
        snapshot=one.id,
        current=one.current,
        created_at=datetime.fromtimestamp(manifest.created_at, UTC).isoformat(timespec="seconds"),
        chunks=manifest.chunks,
        vectors=manifest.vectors,
        shards=manifest.shards,
        bytes=manifest.bytes,
        files=len(manifest.files),
        carried=sum(entry.carried for entry in manifest.files.values()),
        seconds=manifest.seconds,
        problem=one.problem or None,
    )
