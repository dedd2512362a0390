"""`octavo version`."""

from __future__ import annotations

from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.presenting.formats import Answer
from octavo.operations.lines import Part
from octavo.version import __version__


@command(examples=["octavo version", "octavo version --json"])
def version(choices: Choices) -> None:
    """Print the version."""
    row = {"version": __version__}
    choices.answer(Answer(row, [row], ("version",), lambda width: [(Part(f"octavo {__version__}"),)]))
