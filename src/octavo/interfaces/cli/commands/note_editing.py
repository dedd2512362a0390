"""`octavo doc`: notes checked, created and edited by their sections."""

from __future__ import annotations

from typing import Any

import click

from octavo.fast_dataclass import replace
from octavo.interfaces.cli.commands_from_requests import OperationCommand, command
from octavo.interfaces.cli.default_operation_commands import OperationGroup, answered, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, shared_options
from octavo.model.document import HEADING_SEPARATOR

_PATHS = ("parent_heading_path", "heading_path", "from_heading_path", "to_parent_heading_path")


@click.group(cls=OperationGroup)
@shared_options
def doc() -> None:
    """Check, create and edit notes by their sections. A collection must allow it: `octavo add --writable`."""


def _edits(words: str) -> OperationCommand:
    """A command that names sections by their headings; one path written as outlines show it is taken apart."""
    operation = operation_of(words)

    def run(choices: Choices, request: Any) -> Exit:
        paths = {name: getattr(request, name) for name in _PATHS if hasattr(request, name)}
        split = {name: _parted(path) for name, path in paths.items()}
        return answered(choices, operation, replace(request, **split))

    return command(operation.takes, operation.name, name=words.rpartition(" ")[2], optional=_PATHS)(run)


def _parted(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path[0].split(HEADING_SEPARATOR)) if len(path) == 1 else path


for _words in ("doc insert-section", "doc replace-section", "doc append-to-section", "doc move-section", "doc rename"):
    doc.add_command(_edits(_words))
