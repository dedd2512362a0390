"""The operations on snapshots. Going back to an earlier one is left to whoever runs the library, on its machine."""

from __future__ import annotations

from recto.operations import snapshots
from recto.operations.operation import WRITES, ErrorCase, Operation

SNAPSHOT_OPERATIONS = (
    Operation(
        name="snapshots_list",
        summary="List the snapshots that large libraries are searched through.",
        description="Which snapshots there are, which one answers, and how much was written since it was made.",
        function=snapshots.snapshots_list,
        request=snapshots.SnapshotsListRequest,
        answer=snapshots.SnapshotsAnswer,
        text=snapshots.snapshots_text,
        example={"verify": True},
        errors=(ErrorCase({"snapshot": "x"}, "INVALID_ARGUMENT"),),
    ),
    Operation(
        name="snapshots_build",
        summary="Make a snapshot now.",
        description="Make one whatever the size of the library. The one before answers until the new one is there.",
        function=snapshots.snapshots_build,
        request=snapshots.SnapshotBuildRequest,
        answer=snapshots.SnapshotsAnswer,
        text=snapshots.snapshots_text,
        example={},
        errors=(ErrorCase({"full": "perhaps"}, "INVALID_ARGUMENT"),),
        annotations=WRITES,
        watched=True,
    ),
)
