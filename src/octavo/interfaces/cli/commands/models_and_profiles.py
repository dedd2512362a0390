"""`octavo profiles` and `octavo models`: which ones there are, which one answers, and how another takes over."""

from __future__ import annotations

import click

from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import OperationGroup, operation_of
from octavo.interfaces.cli.global_options import Choices, shared_options
from octavo.interfaces.cli.library_opening import opened
from octavo.interfaces.presenting.operation_answer_in_every_format import operation_answer
from octavo.interfaces.presenting.terminal_rendering import TerminalView
from octavo.operations.embedding_profiles.requests import ProfilesReindexRequest, ProfilesSetRequest
from octavo.operations.models.requests import ModelsActivateRequest


@click.group(cls=OperationGroup)
@shared_options
def profiles() -> None:
    """Look at embedding profiles, make one, fill it, search with it."""


@profiles.add
@command(ProfilesSetRequest, "profiles_set", name="set")
def set_profile(choices: Choices, request: ProfilesSetRequest) -> None:
    from octavo.operations.embedding_profiles.list_set_fill_and_activate import profiles_set

    with opened(choices) as session:
        done = profiles_set(session.engine, request, by_person=True)
    choices.answer(operation_answer(operation_of("profiles set"), done, TerminalView()))


@profiles.add
@command(ProfilesReindexRequest, "profiles_reindex")
@click.option("--wait", is_flag=True, help="Do the work here and now, rather than leave it to a worker.")
def reindex(choices: Choices, request: ProfilesReindexRequest, wait: bool) -> None:
    from octavo.operations.embedding_profiles.list_set_fill_and_activate import profile_state
    from octavo.operations.jobs.run_jobs import work

    operation = operation_of("profiles reindex")
    with opened(choices) as session:
        done = operation.run(session.engine, request)
        if wait:
            work(session.engine, session.config.jobs)
            done = profile_state(session.engine, request.name)
    choices.answer(operation_answer(operation, done, TerminalView()))


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
