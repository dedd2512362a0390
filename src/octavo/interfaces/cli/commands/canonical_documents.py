"""`octavo canonical`: documents under keys, read by section, packed into a token budget."""

from __future__ import annotations

import click

from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import OperationGroup, answered, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, shared_options
from octavo.operations.canonical_documents.requests import CanonicalGetRequest, CanonicalGetSectionRequest


@click.group(cls=OperationGroup)
@shared_options
def canonical() -> None:
    """Keep specifications and plans under keys, read them by section, pack them for a reader."""


@canonical.add
@command(CanonicalGetRequest, "canonical_get", name="get")
@click.argument("anchor", required=False, metavar="[ANCHOR]")
def get(choices: Choices, request: CanonicalGetRequest, anchor: str | None) -> Exit:
    if anchor is None:
        return answered(choices, operation_of("canonical get"), request)
    if request.as_of is not None:
        raise click.UsageError("A section is read at a version: give --version instead of --as-of.")
    section = CanonicalGetSectionRequest(request.key, anchor, request.version)
    return answered(choices, operation_of("canonical get-section"), section)
