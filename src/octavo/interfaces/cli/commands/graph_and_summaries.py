"""`octavo graph` and `octavo summaries`: what belongs together, and sections and files as a whole."""

from __future__ import annotations

import click

from octavo.fast_dataclass import replace
from octavo.interfaces.cli import output
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import answered, group_of, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.operations.graph.requests import GraphBuildRequest, GraphExportRequest
from octavo.operations.summaries.requests import SummariesBuildRequest

_later = click.option("--later", is_flag=True, help="Leave it to a worker: `octavo worker`.")


graph = group_of("graph", "See what points where and what belongs together, and take the graph elsewhere.")


@graph.add
@command(GraphBuildRequest, "graph_build", name="build")
@_later
def build_graph(choices: Choices, request: GraphBuildRequest, later: bool) -> Exit:
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


summaries = group_of("summaries", "Summarise sections and files, look at the summaries, remove them.")


@summaries.add
@command(SummariesBuildRequest, "summaries_build", name="build")
@_later
def build_summaries(choices: Choices, request: SummariesBuildRequest, later: bool) -> Exit:
    return answered(choices, operation_of("summaries build"), replace(request, wait=not later))
