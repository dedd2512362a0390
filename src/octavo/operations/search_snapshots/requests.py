"""Requests to list, build, roll back and recover search snapshots."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import dataclass
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types


@dataclass(frozen=True, slots=True)
class SnapshotsListRequest:
    verify: Annotated[bool, Field("Read every byte and compare it with what was written.")] = False


@dataclass(frozen=True, slots=True)
class SnapshotsBuildRequest:
    full: Annotated[bool, Field("Carry nothing over from the one before.")] = False


@dataclass(frozen=True, slots=True)
class SnapshotsRollbackRequest:
    snapshot: Annotated[
        str | None, Field("Which one; left out, the one before.", max_length=100, argument="SNAPSHOT")
    ] = None


SnapshotsRecoverRequest = argument_types.NoArguments
