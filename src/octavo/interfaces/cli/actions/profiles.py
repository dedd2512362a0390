"""`octavo profiles`: profiles set by a person, and filled here and now."""

from __future__ import annotations

from octavo.interfaces.cli.generated import operation_of
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.cli.session import opened
from octavo.interfaces.presenting.results import operation_answer
from octavo.interfaces.presenting.terminal import TerminalView
from octavo.operations.jobs.working import work
from octavo.operations.profiles.embedders import profile_state, profiles_set
from octavo.operations.profiles.requests import ProfilesActivateRequest, ProfilesSetRequest


def set_profile(choices: Choices, request: ProfilesSetRequest) -> None:
    with opened(choices) as session:
        done = profiles_set(session.engine, request, by_person=True)
    choices.answer(operation_answer(operation_of("profiles set"), done, TerminalView()))


def reindex(choices: Choices, request: ProfilesActivateRequest, wait: bool) -> None:
    operation = operation_of("profiles reindex")
    with opened(choices) as session:
        done = operation.run(session.engine, request)
        if wait:
            work(session.engine, session.config.jobs)
            done = profile_state(session.engine, request.name)
    choices.answer(operation_answer(operation, done, TerminalView()))
