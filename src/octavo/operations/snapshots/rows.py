"""The operations on snapshots. Going back to an earlier one is left to whoever runs the library, on its machine."""

from __future__ import annotations

from functools import partial

from octavo.operations.listing import Listing
from octavo.operations.operation import WRITES, Operation

_snapshots = partial(Operation, module="octavo.operations.snapshots.snapshots")

_COLUMNS = ("snapshot", "current", "created_at", "chunks", "vectors", "bytes", "files", "carried", "problem")

SNAPSHOTS = (
    _snapshots(
        name="snapshots_list",
        summary="List the snapshots that large libraries are searched through.",
        description="Which snapshots there are, which one answers, and how much was written since it was made.",
        help="With --verify, exit code 6 means that a snapshot is damaged.",
        listing=Listing(rows="snapshots", columns=_COLUMNS, succeeds="sound"),
        command="snapshots list",
        examples=("octavo snapshots list", "octavo snapshots list --verify"),
        example={"verify": True},
    ),
    _snapshots(
        name="snapshots_build",
        summary="Make a snapshot now.",
        description="Make one whatever the size of the library. The one before answers until the new one is there.",
        listing=Listing(rows="snapshots", columns=_COLUMNS),
        command="snapshots build",
        examples=("octavo snapshots build",),
        annotations=WRITES,
        watched=True,
    ),
    _snapshots(
        name="snapshots_rollback",
        summary="Search through an earlier snapshot: the one before, or the one named.",
        description="Search through an earlier snapshot.",
        listing=Listing(rows="snapshots", columns=_COLUMNS),
        command="snapshots rollback",
        examples=("octavo snapshots rollback",),
        example=None,
        annotations=WRITES,
        remote=False,
    ),
    _snapshots(
        name="snapshots_recover",
        summary="Clear away unfinished snapshots, and search through the newest that is whole.",
        description="Clear away unfinished snapshots.",
        listing=Listing(rows="snapshots", columns=_COLUMNS),
        command="snapshots recover",
        examples=("octavo snapshots recover",),
        annotations=WRITES,
        remote=False,
    ),
)
