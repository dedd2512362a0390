"""`octavo sessions`: periods of work that memories can name."""

from __future__ import annotations

import click

from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import OperationGroup, answered, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, shared_options
from octavo.operations.projects.requests import SessionsListRequest


@click.group(cls=OperationGroup)
@shared_options
def sessions() -> None:
    """Start a period of work, end it with a summary, look at earlier ones."""


@sessions.add
@command(SessionsListRequest, "sessions_list", name="list")
def list_sessions(choices: Choices, request: SessionsListRequest) -> Exit:
    """With a query, exit code 1 means that there was no such session."""
    code = answered(choices, operation_of("sessions list"), request)
    return code if request.query else Exit.OK
