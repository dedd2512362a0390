"""Declares the operations on snapshots. Going back to an earlier one is for whoever runs the library on its machine."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import READS, WRITES, Operation

_COLUMNS = ("snapshot", "current", "created_at", "chunks", "vectors", "bytes", "files", "carried", "problem")

_snapshots = partial(
    Operation,
    module="octavo.operations.search_snapshots.build_list_and_rollback",
    annotations=WRITES,
    listing=Listing(rows="snapshots", columns=_COLUMNS),
)

SNAPSHOTS = (
    _snapshots(
        name="snapshots_list",
        summary="List the snapshots that large libraries are searched through.",
        description="Which snapshots there are, which one answers, and how much was written since it was made.",
        help="With --verify, exit code 6 means that a snapshot is damaged.",
        listing=Listing(rows="snapshots", columns=_COLUMNS, succeeds="sound"),
        examples=("octavo snapshots list", "octavo snapshots list --verify"),
        example={"verify": True},
        annotations=READS,
    ),
    _snapshots(
        name="snapshots_build",
        summary="Make a snapshot now.",
        description="Make one whatever the size of the library. The one before answers until the new one is there.",
        examples=("octavo snapshots build",),
        watched=True,
    ),
    _snapshots(
        name="snapshots_rollback",
        summary="Search through an earlier snapshot: the one before, or the one named.",
        description="Search through an earlier snapshot.",
        examples=("octavo snapshots rollback",),
        example=None,
        remote=False,
    ),
    _snapshots(
        name="snapshots_recover",
        summary="Clear away unfinished snapshots, and search through the newest that is whole.",
        description="Clear away unfinished snapshots.",
        examples=("octavo snapshots recover",),
        remote=False,
    ),
)
