"""`octavo summaries`: sections and files as a whole, for searches that look at those too."""

from __future__ import annotations

import click

from octavo.fast_dataclass import replace
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import OperationGroup, answered, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, shared_options
from octavo.operations.summaries.requests import SummariesBuildRequest


@click.group(cls=OperationGroup)
@shared_options
def summaries() -> None:
    """Summarise sections and files, look at the summaries, remove them."""


@summaries.add
@command(SummariesBuildRequest, "summaries_build")
@click.option("--later", is_flag=True, help="Leave it to a worker: `octavo worker`.")
def build(choices: Choices, request: SummariesBuildRequest, later: bool) -> Exit:
    return answered(choices, operation_of("summaries build"), replace(request, wait=not later))
