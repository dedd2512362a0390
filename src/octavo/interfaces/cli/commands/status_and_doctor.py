"""`octavo status` and `octavo doctor`: what the library holds, what a server watches, and what is wrong."""

from __future__ import annotations

from pathlib import Path

from octavo.engine.maintenance.build_info import installation_report
from octavo.errors import OctavoError
from octavo.fast_dataclass import replace
from octavo.interfaces.cli import daemon_search_and_watch_state, output
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import answered, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.interfaces.presenting.formatted_answer_writing import OutputFormat
from octavo.interfaces.presenting.operation_answer_in_every_format import operation_answer
from octavo.interfaces.presenting.terminal_rendering import TerminalView, terminal_lines
from octavo.operations.answer_table_rendering import Listing
from octavo.operations.library.rendering import problem_lines
from octavo.operations.library.requests import DoctorRequest, StatusRequest

_PROBLEMS = Listing(rows="problems", columns=("collection", "uri", "outcome", "reason", "warnings"))


@command(StatusRequest, "status")
def status(choices: Choices, request: StatusRequest) -> None:
    from octavo.operations.library.status import full_status

    operation = operation_of("status")
    with opened(choices) as session:
        answer = full_status(session.engine, problems=request.problems)
        # This process watches nothing; a server may.
        answer = replace(answer, watch=daemon_search_and_watch_state.watching(session.config) or answer.watch)
        roots = session.roots()
        files = [answer.library] if isinstance(session.engine.location, Path) else []  # a database is no file
    view = TerminalView(roots=roots)
    if not request.problems:
        choices.answer(operation_answer(operation, answer, view, files))
        return
    made = operation_answer(replace(operation, listing=_PROBLEMS), answer, view)
    choices.answer(replace(made, text=lambda width: terminal_lines(problem_lines(answer), view, width)))


@command(DoctorRequest, "doctor")
def doctor(choices: Choices, request: DoctorRequest) -> Exit:
    try:
        return answered(choices, operation_of("doctor"), request)
    except OctavoError as error:
        if request.report and choices.format is OutputFormat.TEXT:
            # Its code alone: the message, on stderr, names the file or the server.
            output.plain("\n".join((*installation_report(), f"wrong: {error.code}\n")))
        raise
