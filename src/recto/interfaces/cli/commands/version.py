"""`recto version`."""

from __future__ import annotations

import click

from recto import __version__
from recto.interfaces.cli.layout import Part
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer


@click.command()
@shared_options
@pass_choices
def version(choices: Choices) -> None:
    """Print the version."""
    row = {"version": __version__}
    choices.answer(Answer(row, [row], ("version",), lambda width: [(Part(f"recto {__version__}"),)]))
