"""`octavo version`: the version, the commit it was built from, and the formats it writes."""

from __future__ import annotations

from typing import Any

from octavo.algorithms.compiled.library_loading import in_use
from octavo.engine.maintenance.build_info import commit_here, formats_here, version_line
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.global_options import Choices
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.operations.styled_answer_lines import Part
from octavo.version import __version__


@command(examples=["octavo version", "octavo version --json"])
def version(choices: Choices) -> None:
    """Print the version, the commit it was built from and the formats it writes."""
    row: dict[str, Any] = {"version": __version__, "commit": commit_here(), "formats": formats_here()}
    row["compiled"] = in_use()
    choices.answer(Answer(row, [row], ("version",), lambda width: [(Part(version_line()),)]))
