"""`octavo sessions` and `octavo projects`: periods of work, and whose memories they are."""

from __future__ import annotations

from pathlib import Path

import click

from octavo.dataclass import replace
from octavo.interfaces.cli.errors import Exit
from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.generated import OperationGroup, answered
from octavo.interfaces.cli.options import Choices, shared_options
from octavo.operations.projects.requests import ProjectsResolveRequest, SessionsListRequest
from octavo.operations.rows import COMMANDS


@click.group(cls=OperationGroup)
@shared_options
def sessions() -> None:
    """Start a period of work, end it with a summary, look at earlier ones."""


@command(SessionsListRequest, "sessions_list", name="list")
def list_sessions(choices: Choices, request: SessionsListRequest) -> Exit:
    """With a query, exit code 1 means that there was no such session."""
    code = answered(choices, COMMANDS["sessions list"], request)
    return code if request.query else Exit.OK


@click.group(cls=OperationGroup)
@shared_options
def projects() -> None:
    """Look at the projects of the library, and find or make the one a folder belongs to."""


@command(ProjectsResolveRequest, "projects_resolve", name="resolve")
def resolve(choices: Choices, request: ProjectsResolveRequest) -> Exit:
    if request.path or not (request.repo_url or request.name):
        request = replace(request, path=str(Path(request.path or "").absolute()))
    operation = replace(COMMANDS["projects resolve"], creates=request.create_if_missing)
    return answered(choices, operation, request)


sessions.add_command(list_sessions)
projects.add_command(resolve)
