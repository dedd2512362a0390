"""`octavo models`: make a model from the library's content, look at models, let one answer."""

from __future__ import annotations

import click

from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import OperationGroup, operation_of
from octavo.interfaces.cli.global_options import Choices, shared_options
from octavo.interfaces.cli.library_opening import opened
from octavo.interfaces.presenting.operation_answer_in_every_format import operation_answer
from octavo.interfaces.presenting.terminal_rendering import TerminalView
from octavo.operations.models.requests import ModelsActivateRequest


@click.group(cls=OperationGroup)
@shared_options
def models() -> None:
    """List the models there are, show how good they are, fetch one, search with one, remove one."""


@models.add
@command(ModelsActivateRequest, "models_activate")
@click.option("--wait", is_flag=True, help="Embed here and now, rather than leave it to a worker.")
def activate(choices: Choices, request: ModelsActivateRequest, wait: bool) -> None:
    from octavo.operations.jobs.run_jobs import work
    from octavo.operations.models.list_fetch_train_and_activate import model_state

    operation = operation_of("models activate")
    with opened(choices) as session:
        done = operation.run(session.engine, request)
        if wait and done.job:
            work(session.engine, session.config.jobs)
            done = model_state(session.engine, request.name)
    choices.answer(operation_answer(operation, done, TerminalView()))
