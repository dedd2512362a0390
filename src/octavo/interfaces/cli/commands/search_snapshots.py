"""`octavo snapshots`: the accelerators of a large library, made, looked at, checked and chosen."""

from __future__ import annotations

import click

from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import OperationGroup, answered, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, shared_options
from octavo.operations.search_snapshots.requests import SnapshotsListRequest


@click.group(cls=OperationGroup)
@shared_options
def snapshots() -> None:
    """Make and look at the snapshots that a large library is searched through.

    A library of 20,000 chunks and more makes its own whenever it is indexed. They lie beside its file and can be
    deleted at any time: everything in them comes from the library.
    """


@snapshots.add
@command(examples=["octavo snapshots verify"])
def verify(choices: Choices) -> Exit:
    """Read every byte and compare it with what was written. Exit code 6 means that a snapshot is damaged."""
    return answered(choices, operation_of("snapshots list"), SnapshotsListRequest(verify=True))
