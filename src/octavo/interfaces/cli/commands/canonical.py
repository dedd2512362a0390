"""`octavo canonical`: documents under keys, read by section, packed into a token budget."""

from __future__ import annotations

import click

from octavo.interfaces.cli.errors import Exit
from octavo.interfaces.cli.generated_commands import OperationGroup, answered
from octavo.interfaces.cli.options import Choices, shared_options
from octavo.interfaces.cli.request_commands import command
from octavo.operations.canonical.requests import CanonicalGetRequest, CanonicalGetSectionRequest
from octavo.operations.definitions import COMMANDS


@click.group(cls=OperationGroup)
@shared_options
def canonical() -> None:
    """Keep specifications and plans under keys, read them by section, pack them for a reader."""


@command(CanonicalGetRequest, "canonical_get", name="get")
@click.argument("anchor", required=False, metavar="[ANCHOR]")
def get(choices: Choices, request: CanonicalGetRequest, anchor: str | None) -> Exit:
    if anchor is None:
        return answered(choices, COMMANDS["canonical get"], request)
    if request.as_of is not None:
        raise click.UsageError("A section is read at a version: give --version instead of --as-of.")
    section = CanonicalGetSectionRequest(request.key, anchor, request.version)
    return answered(choices, COMMANDS["canonical get-section"], section)


canonical.add_command(get)
