"""`octavo lint`: notes checked; also as SARIF, which code scanning reads."""

from __future__ import annotations

from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import answered, exit_of, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.interfaces.cli.output import plain, screen
from octavo.interfaces.cli.progress import progress
from octavo.interfaces.presenting.formatted_answer_writing import as_json
from octavo.operations.note_editing.requests import LintRequest


@command(LintRequest, "lint", formats=["sarif"])
def lint(choices: Choices, request: LintRequest) -> Exit:
    from octavo.operations.note_editing.sarif import sarif

    operation = operation_of("lint")
    if not choices.own_format:
        return answered(choices, operation, request)
    with opened(choices) as session:
        answer = operation.run(session.engine, request, progress(quiet=choices.quiet))
    plain(as_json(sarif(answer), screen().encoding, indent=2) + "\n")
    return exit_of(operation, answer)
