"""`octavo graph`: what points where, what belongs together, and ways to take it elsewhere."""

from __future__ import annotations

import click

from octavo.fast_dataclass import replace
from octavo.interfaces.cli import output
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import OperationGroup, answered, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, shared_options
from octavo.interfaces.cli.library_opening import opened
from octavo.operations.graph.requests import GraphBuildRequest, GraphExportRequest


@click.group(cls=OperationGroup)
@shared_options
def graph() -> None:
    """See what points where and what belongs together, and take the graph elsewhere."""


@graph.add
@command(GraphBuildRequest, "graph_build")
@click.option("--later", is_flag=True, help="Leave it to a worker: `octavo worker`.")
def build(choices: Choices, request: GraphBuildRequest, later: bool) -> Exit:
    return answered(choices, operation_of("graph build"), replace(request, wait=not later))


@graph.add
@command(GraphExportRequest, "graph_export")
def export(choices: Choices, request: GraphExportRequest) -> Exit:
    operation = operation_of("graph export")
    if request.output is not None:
        return answered(choices, operation, request)
    with opened(choices) as session:
        answer = operation.run(session.engine, request)
    output.plain(answer.text)
    return Exit.OK
