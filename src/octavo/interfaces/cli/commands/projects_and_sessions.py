"""`octavo projects`: the project that a folder belongs to; `octavo sessions`: periods of work."""

from __future__ import annotations

from pathlib import Path

from octavo.fast_dataclass import replace
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import answered, group_of, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices
from octavo.operations.projects.requests import ProjectsResolveRequest, SessionsListRequest

projects = group_of("projects", "Look at the projects of the library, and find or make the one a folder belongs to.")


@projects.add
@command(ProjectsResolveRequest, "projects_resolve", name="resolve")
def resolve(choices: Choices, request: ProjectsResolveRequest) -> Exit:
    if request.path or not (request.repo_url or request.name):
        request = replace(request, path=str(Path(request.path or "").absolute()))
    operation = replace(operation_of("projects resolve"), creates=request.create_if_missing)
    return answered(choices, operation, request)


sessions = group_of("sessions", "Start a period of work, end it with a summary, look at earlier ones.")


@sessions.add
@command(SessionsListRequest, "sessions_list", name="list")
def list_sessions(choices: Choices, request: SessionsListRequest) -> Exit:
    """With a query, exit code 1 means that there was no such session."""
    code = answered(choices, operation_of("sessions list"), request)
    return code if request.query else Exit.OK
