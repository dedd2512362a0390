"""`octavo tokens`: who may ask a server of the library."""

from __future__ import annotations

import click

from octavo.interfaces.cli.generated_commands import OperationGroup
from octavo.interfaces.cli.options import shared_options


@click.group(cls=OperationGroup)
@shared_options
def tokens() -> None:
    """Make, list and revoke tokens of people and programs; see what was changed with them."""
