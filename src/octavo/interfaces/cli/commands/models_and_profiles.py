"""`octavo profiles` and `octavo models`: which ones there are, which one answers, and how another takes over."""

from __future__ import annotations

import click

from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import group_of, operation_of, write_answer
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.operations.embedding_profiles.requests import ProfilesReindexRequest, ProfilesSetRequest
from octavo.operations.models.requests import ModelsActivateRequest

profiles = group_of("profiles", "Look at embedding profiles, make one, fill it, search with it.")


@profiles.add
@command(ProfilesSetRequest, "profiles_set", name="set")
def set_profile(choices: Choices, request: ProfilesSetRequest) -> Exit:
    from octavo.operations.embedding_profiles.list_set_fill_and_activate import profiles_set

    with opened(choices) as session:
        done = profiles_set(session.engine, request, by_person=True)
    return write_answer(choices, operation_of("profiles set"), done)


@profiles.add
@command(ProfilesReindexRequest, "profiles_reindex")
@click.option("--wait", is_flag=True, help="Do the work here and now, rather than leave it to a worker.")
def reindex(choices: Choices, request: ProfilesReindexRequest, wait: bool) -> Exit:
    from octavo.operations.embedding_profiles.list_set_fill_and_activate import profile_state
    from octavo.operations.jobs.run_jobs import work

    operation = operation_of("profiles reindex")
    with opened(choices) as session:
        done = operation.run(session.engine, request)
        if wait:
            work(session.engine, session.config.jobs)
            done = profile_state(session.engine, request.name)
    return write_answer(choices, operation, done)


models = group_of(
    "models", "List the models there are, show how good they are, fetch one, search with one, remove one."
)


@models.add
@command(ModelsActivateRequest, "models_activate")
@click.option("--wait", is_flag=True, help="Embed here and now, rather than leave it to a worker.")
def activate(choices: Choices, request: ModelsActivateRequest, wait: bool) -> Exit:
    from octavo.operations.jobs.run_jobs import work
    from octavo.operations.models.list_fetch_train_and_activate import model_state

    operation = operation_of("models activate")
    with opened(choices) as session:
        done = operation.run(session.engine, request)
        if wait and done.job:
            work(session.engine, session.config.jobs)
            done = model_state(session.engine, request.name)
    return write_answer(choices, operation, done)
