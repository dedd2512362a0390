"""`octavo remember`: a text or a section as a memory; `octavo memory`: the rest, as sync with a folder."""

from __future__ import annotations

import threading

import click

from octavo.fast_dataclass import replace
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import OperationGroup, answered, exit_of, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, shared_options
from octavo.interfaces.cli.library_opening import opened
from octavo.interfaces.presenting.operation_answer_in_every_format import operation_answer
from octavo.interfaces.presenting.terminal_rendering import TerminalView
from octavo.operations.memory.requests import PROJECT_FOLDER, MemorySyncRequest, RememberRequest
from octavo.operations.note_editing.requests import MemoryFromNoteRequest

_USER_PROJECT = "user"
_SECONDS_BETWEEN_SYNCS = 2.0


@command(RememberRequest, "remember", instead="source")
@click.option("--later", is_flag=True, help="Leave its vector to a worker: until then it is found by word only.")
@click.option("--from", "source", metavar="URI#HEADING", help="Remember this section, with a citation back to it.")
def remember(choices: Choices, request: RememberRequest, later: bool, source: str | None) -> Exit:
    if source:
        if request.text:
            raise click.UsageError("Give a text, or a section with --from.")
        section = MemoryFromNoteRequest(
            source,
            kind=request.kind,
            scope=request.scope,
            title=request.title,
            tags=request.tags,
            author=request.author,
            reason=request.reason,
        )
        return answered(choices, operation_of("memory from-note"), section, work=not later)
    return answered(choices, operation_of("remember"), request, work=not later)


@click.group(cls=OperationGroup)
@shared_options
def memory() -> None:
    """Read, change and follow memories, or keep them as a folder of files."""


@memory.add
@command(MemorySyncRequest, "memory_sync", name="sync")
@click.option("--user", is_flag=True, help="The user's own memories, in the data folder, rather than a project's.")
@click.option("--watch", is_flag=True, help="Go on until stopped, looking every two seconds.")
def sync(choices: Choices, request: MemorySyncRequest, user: bool, watch: bool) -> Exit:
    from octavo.operations.jobs.run_jobs import work_shortly

    operation = operation_of("memory sync")
    if user:
        from platformdirs import user_data_path

        choices.project = choices.project or _USER_PROJECT
        if request.folder == PROJECT_FOLDER:
            request = replace(request, folder=str(user_data_path("octavo") / "memories"))
    stop = threading.Event()
    with opened(choices, create=True) as session:
        while True:
            report = operation.run(session.engine, request)
            work_shortly(session.engine, session.config.jobs)
            if report.changed or not watch:
                choices.answer(operation_answer(operation, report, TerminalView()))
            if not watch:
                return exit_of(operation, report)
            stop.wait(_SECONDS_BETWEEN_SYNCS)
