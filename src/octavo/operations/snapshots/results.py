"""What is answered about snapshots."""

from __future__ import annotations

from typing import Literal

from octavo.dataclass import dataclass

State = Literal["used", "none", "damaged"]


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
