"""Lists, verifies and builds search snapshots, rolls back to an earlier one, and recovers from broken builds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument
from octavo.fast_dataclass import Value, replace
from octavo.ingest.search_snapshot_lifecycle import StoredSnapshot
from octavo.ingest.snapshot_search_accelerator import Accelerator
from octavo.model.ids import SnapshotId
from octavo.observability.progress import Progress
from octavo.operations.answer_conversion import filled
from octavo.operations.search_snapshots.requests import (
    SnapshotsBuildRequest,
    SnapshotsListRequest,
    SnapshotsRecoverRequest,
    SnapshotsRollbackRequest,
)
from octavo.operations.styled_answer_lines import Line, Part, columns, count, size

State = Literal["used", "none", "damaged"]


class ShownSnapshot(Value):
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


class SnapshotsAnswer(Value):
    """`behind` chunks were written since the current one, or all there are where there is none: the library answers.

    `verified` is whether every byte was read and compared."""

    snapshots: tuple[ShownSnapshot, ...]
    behind: int
    state: State
    verified: bool = False

    @property
    def sound(self) -> bool:
        """Whether no snapshot was found damaged."""
        return not any(snapshot.problem for snapshot in self.snapshots)


def snapshots_list(engine: Engine, request: SnapshotsListRequest) -> SnapshotsAnswer:
    accelerator = _accelerator(engine)
    upkeep = accelerator.upkeep
    listed = _answer(engine, accelerator, upkeep.verify() if request.verify else upkeep.stored())
    return replace(listed, verified=request.verify)


def snapshots_build(engine: Engine, request: SnapshotsBuildRequest, progress: Progress) -> SnapshotsAnswer:
    accelerator = _accelerator(engine)
    accelerator.upkeep.publish(progress, full=request.full)
    return _answer(engine, accelerator, accelerator.upkeep.stored())


def snapshots_rollback(engine: Engine, request: SnapshotsRollbackRequest) -> SnapshotsAnswer:
    accelerator = _accelerator(engine)
    accelerator.upkeep.roll_back(None if request.snapshot is None else SnapshotId(request.snapshot))
    return _answer(engine, accelerator, accelerator.upkeep.stored())


def snapshots_recover(engine: Engine, request: SnapshotsRecoverRequest) -> SnapshotsAnswer:
    """Clears away what builders left and lets the newest whole snapshot answer."""
    accelerator = _accelerator(engine)
    accelerator.upkeep.recover()
    return _answer(engine, accelerator, accelerator.upkeep.stored())


def _accelerator(engine: Engine) -> Accelerator:
    if engine.accelerator is None:
        raise InvalidArgument(
            "this library has no snapshots: a server keeps indexes of its own, or snapshots.enabled is off",
            hint="`octavo config show` says which library and which settings are in use",
        )
    return engine.accelerator


def _answer(engine: Engine, accelerator: Accelerator, kept: tuple[StoredSnapshot, ...]) -> SnapshotsAnswer:
    shown = tuple(_shown(snapshot) for snapshot in kept)
    state: State = "none"
    if any(snapshot.current for snapshot in shown):
        state = "used"
    elif any(snapshot.problem for snapshot in shown):
        state = "damaged"
    behind = accelerator.upkeep.unseen() if state == "used" else engine.store.counts(engine.project.id).chunks
    return SnapshotsAnswer(shown, behind, state)


def _shown(snapshot: StoredSnapshot) -> ShownSnapshot:
    manifest = snapshot.manifest
    if manifest is None:
        return ShownSnapshot(snapshot.id, snapshot.current, None, 0, 0, 0, 0, 0, 0, 0.0, snapshot.problem)
    return filled(
        ShownSnapshot,
        *(snapshot, manifest),
        snapshot=snapshot.id,
        files=len(manifest.files),
        carried=sum(entry.carried for entry in manifest.files.values()),
        problem=snapshot.problem or None,
    )


def snapshots_lines(answer: SnapshotsAnswer) -> Iterator[Line]:
    if not answer.snapshots:
        yield (Part(f"No snapshots. {count(answer.behind, 'chunk')} searched in the library itself."),)
        return
    rows = [
        (
            Part(snapshot.snapshot, "title" if snapshot.current else ""),
            Part("current" if snapshot.current else "", "good"),
            Part(count(snapshot.chunks, "chunk")),
            Part(count(snapshot.vectors, "vector")),
            Part(size(snapshot.bytes)),
            Part(f"{snapshot.carried} of {snapshot.files} files carried over", "dim"),
            Part(snapshot.problem or "", "bad"),
        )
        for snapshot in answer.snapshots
    ]
    yield from columns(rows)
    yield (Part(f"{count(answer.behind, 'chunk')} written since", "dim"),)
    if answer.verified:
        yield (_verdict(answer),)


def _verdict(answer: SnapshotsAnswer) -> Part:
    every = count(len(answer.snapshots), "snapshot")
    unusable = sum(bool(snapshot.problem) for snapshot in answer.snapshots)
    if unusable:
        return Part(f"{unusable} of {every} cannot be used; `octavo snapshots recover` clears that up.", "bad")
    read = size(sum(snapshot.bytes for snapshot in answer.snapshots))
    return Part(f"All is well: {read} in {every}, every byte as it was written.", "good")
