"""`octavo cluster`: chunks grouped by meaning, and a map of them."""

from __future__ import annotations

import click

from octavo.interfaces.cli.generated_commands import OperationGroup
from octavo.interfaces.cli.options import shared_options


@click.group(cls=OperationGroup)
@shared_options
def cluster() -> None:
    """Group the library's chunks by meaning, and draw a map of them."""
