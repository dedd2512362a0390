"""`octavo doctor`: its operation, and what can be told where the library does not open."""

from __future__ import annotations

from octavo.engine.maintenance.build_info import installation_report
from octavo.errors import OctavoError
from octavo.interfaces.cli import output
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import answered, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices
from octavo.interfaces.presenting.formatted_answer_writing import OutputFormat
from octavo.operations.library.requests import DoctorRequest


@command(DoctorRequest, "doctor")
def doctor(choices: Choices, request: DoctorRequest) -> Exit:
    try:
        return answered(choices, operation_of("doctor"), request)
    except OctavoError as error:
        if request.report and choices.format is OutputFormat.TEXT:
            # Its code alone: the message, on stderr, names the file or the server.
            output.plain("\n".join((*installation_report(), f"wrong: {error.code}\n")))
        raise
