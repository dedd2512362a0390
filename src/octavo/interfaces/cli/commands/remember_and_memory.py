"""`octavo remember`, `octavo memory` and `octavo canonical`: memories, a folder of them, and those under keys."""

from __future__ import annotations

import threading

import click

from octavo.fast_dataclass import replace
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import answered, group_of, operation_of, write_answer
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.operations.answer_conversion import filled
from octavo.operations.canonical_documents.requests import CanonicalGetRequest, CanonicalGetSectionRequest
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
        section = filled(MemoryFromNoteRequest, request, source=source)
        return answered(choices, operation_of("memory from-note"), section, work=not later)
    return answered(choices, operation_of("remember"), request, work=not later)


memory = group_of("memory", "Read, change and follow memories, or keep them as a folder of files.")


@memory.add
@command(MemorySyncRequest, "memory_sync", name="sync")
@click.option("--user", is_flag=True, help="The user's own memories, in the data folder, rather than a project's.")
@click.option("--watch", is_flag=True, help="Go on until stopped, looking every two seconds.")
def sync(choices: Choices, request: MemorySyncRequest, user: bool, watch: bool) -> Exit:
    from octavo.operations.jobs.list_retry_and_run_jobs import work_shortly

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
                code = write_answer(choices, operation, report)
            if not watch:
                return code
            stop.wait(_SECONDS_BETWEEN_SYNCS)


canonical = group_of(
    "canonical", "Keep specifications and plans under keys, read them by section, pack them for a reader."
)


@canonical.add
@command(CanonicalGetRequest, "canonical_get", name="get")
@click.argument("anchor", required=False, metavar="[ANCHOR]")
def get(choices: Choices, request: CanonicalGetRequest, anchor: str | None) -> Exit:
    if anchor is None:
        return answered(choices, operation_of("canonical get"), request)
    if request.as_of is not None:
        raise click.UsageError("A section is read at a version: give --version instead of --as-of.")
    section = CanonicalGetSectionRequest(request.key, anchor, request.version)
    return answered(choices, operation_of("canonical get-section"), section)
