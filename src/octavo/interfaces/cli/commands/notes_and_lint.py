"""`octavo notes`: new notes, additions to notes, a note for each day; `octavo lint`: notes checked, also as SARIF."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import click

from octavo.errors import SourceError
from octavo.fast_dataclass import replace
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import answered, exit_of, group_of, operation_of, write_answer
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.interfaces.cli.output import plain, screen
from octavo.interfaces.cli.progress import progress
from octavo.interfaces.presenting.editor_command import editor_command
from octavo.interfaces.presenting.formatted_answer_writing import as_json
from octavo.interfaces.presenting.terminal_rendering import TerminalView
from octavo.operations.note_editing.requests import (
    DocSetPropertyRequest,
    LintRequest,
    NotesAppendRequest,
    NotesNewRequest,
    NotesTodayRequest,
)

_edit = click.option("--edit", is_flag=True, help="Open it in $VISUAL or $EDITOR, and index what was saved.")


notes = group_of(
    "notes",
    "Make notes from templates, add to them, keep one for each day. A collection must allow it: `octavo add "
    "--writable`.",
)


@notes.add
@command(NotesNewRequest, "notes_new", name="new")
@_edit
def new(choices: Choices, request: NotesNewRequest, edit: bool) -> Exit:
    return _done(choices, "notes new", request, edit=edit)


@notes.add
@command(NotesAppendRequest, "notes_append", name="append")
@_edit
def append(choices: Choices, request: NotesAppendRequest, edit: bool) -> Exit:
    return _done(choices, "notes append", request, edit=edit)


@notes.add
@command(NotesTodayRequest, "notes_today", name="today")
@_edit
def today(choices: Choices, request: NotesTodayRequest, edit: bool) -> Exit:
    return _done(choices, "notes today", request, edit=edit)


def _done(choices: Choices, words: str, request: Any, *, edit: bool) -> Exit:
    operation = operation_of(words)
    if not edit or request.dry_run:
        return answered(choices, operation, request)
    with opened(choices) as session:
        answer = operation.run(session.engine, request)
        write_answer(choices, operation, answer, TerminalView(roots=session.roots()))
        path = session.roots()[answer.collection] / answer.uri
        command = editor_command(path, answer.end_line, os.environ)
        try:
            ended = subprocess.call(command)
        except OSError as error:
            raise SourceError(f"{command[0]} cannot be started: {error.strerror}", hint="set EDITOR") from error
        session.engine.writer.index_changes({answer.collection: [answer.uri]})
    return Exit.PARTIAL if ended else Exit.OK


doc = group_of(
    "doc", "Check, create and edit notes by their sections. A collection must allow it: `octavo add --writable`."
)


@doc.add
@command(DocSetPropertyRequest, "doc_set_property", name="set-property")
@click.option("--text", is_flag=True, help="VALUE is a text, also if it could be a number, true, false or a list.")
def set_property(choices: Choices, request: DocSetPropertyRequest, text: bool) -> Exit:
    from octavo.note_editing.front_matter_value_writing import typed

    value = request.value if text or not isinstance(request.value, str) else typed(request.value)
    return answered(choices, operation_of("doc set-property"), replace(request, value=value))


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
