"""`octavo status`: what the library holds, and what a server watches."""

from __future__ import annotations

from octavo.dataclass import replace
from octavo.interfaces.cli import served
from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.generated import operation_of
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.cli.session import opened
from octavo.interfaces.presenting.results import operation_answer
from octavo.interfaces.presenting.terminal import TerminalView, terminal_lines
from octavo.operations.library.lines import problem_lines
from octavo.operations.library.requests import StatusRequest
from octavo.operations.listing import Listing

_PROBLEMS = Listing(rows="problems", columns=("collection", "uri", "outcome", "reason", "warnings"))


@command(StatusRequest, "status")
def status(choices: Choices, request: StatusRequest) -> None:
    from octavo.operations.library.status import full_status

    operation = operation_of("status")
    with opened(choices) as session:
        answer = full_status(session.engine, problems=request.problems)
        # This process watches nothing; a server may.
        answer = replace(answer, watch=served.watching(session.config) or answer.watch)
        roots = session.roots()
    view = TerminalView(roots=roots)
    if not request.problems:
        choices.answer(operation_answer(operation, answer, view, [answer.library]))
        return
    made = operation_answer(replace(operation, listing=_PROBLEMS), answer, view)
    choices.answer(replace(made, text=lambda width: terminal_lines(problem_lines(answer), view, width)))
