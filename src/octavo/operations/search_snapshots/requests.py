"""Requests to list, build, roll back and recover search snapshots."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types


class SnapshotsListRequest(Value):
    verify: Annotated[bool, Field("Read every byte and compare it with what was written.")] = False


class SnapshotsBuildRequest(Value):
    full: Annotated[bool, Field("Carry nothing over from the one before.")] = False


class SnapshotsRollbackRequest(Value):
    snapshot: Annotated[
        str | None, Field("Which one; left out, the one before.", max_length=100, argument="SNAPSHOT")
    ] = None


SnapshotsRecoverRequest = argument_types.NoArguments
