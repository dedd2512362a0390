"""`octavo log` and `octavo history`: commits that say something, and what became of a file or a memory."""

from __future__ import annotations

from typing import Any

import click

from octavo.errors import NotFound
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import answered, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, Session, opened
from octavo.interfaces.presenting.operation_answer_in_every_format import files_at, operation_answer
from octavo.interfaces.presenting.terminal_rendering import TerminalView
from octavo.operations.history.requests import HistoryRequest, LogRequest
from octavo.operations.memory.requests import MemoryHistoryRequest

_MEMORY = "mem_"


@command(LogRequest, "log", optional=["query"])
def log(choices: Choices, request: LogRequest) -> Exit:
    from octavo.operations.history.commits_and_file_history import changed_files, newest

    if request.min_score and not request.query:
        raise click.UsageError("Say what to look for: octavo log QUERY --min-score SCORE")
    operation = operation_of("log" if request.query else "history")
    with opened(choices) as session:
        answer: Any = operation.run(session.engine, request) if request.query else newest(session.engine, request)
        roots = session.roots()
        named = [
            path
            for commit in answer.commits
            for path in files_at(changed_files(session.engine, commit), roots) or [f"{commit.collection}/{commit.uri}"]
        ]
    files = list(dict.fromkeys(named))
    choices.answer(operation_answer(operation, answer, TerminalView(request.query), files))
    return Exit.OK if answer.commits else Exit.NO_MATCH


@command(HistoryRequest, "history")
def history(choices: Choices, request: HistoryRequest) -> None:
    operation = operation_of("history")
    reference = request.reference or ""
    if not reference.startswith(_MEMORY):
        with opened(choices) as session:
            try:
                answer = operation.run(session.engine, request)
            except NotFound:
                if not _is_memory(session, reference):
                    raise
            else:
                places = [f"{within}/{name}" for within in session.roots() for name in answer.names]
                choices.answer(operation_answer(operation, answer, TerminalView(), files_at(places, session.roots())))
                return
    answered(choices, operation_of("memory history"), MemoryHistoryRequest(reference))


def _is_memory(session: Session, reference: str) -> bool:
    from octavo.operations.memory.memory_reading_and_writing import memory_history

    if all(collection.on_disk for collection in session.engine.collections()):
        return False  # nothing was ever remembered, and asking would make room for it
    try:
        memory_history(session.engine, MemoryHistoryRequest(reference))
    except NotFound:
        return False
    return True
