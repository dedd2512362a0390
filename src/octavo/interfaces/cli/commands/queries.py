"""`octavo queries`: the log of what was asked."""

from __future__ import annotations

import click

from octavo.interfaces.cli.generated_commands import OperationGroup
from octavo.interfaces.cli.options import shared_options


@click.group(cls=OperationGroup)
@shared_options
def queries() -> None:
    """Look at what was asked and opened, where log.queries is on; forget it."""
