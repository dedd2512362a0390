"""Commands that are nothing but their operation: made from its row, run in an open library, written in any format."""

from __future__ import annotations

from typing import Any

import click

from octavo.interfaces.cli.command_group_with_suggestions import CommandGroup
from octavo.interfaces.cli.commands_from_requests import OperationCommand, command
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened, shared
from octavo.interfaces.cli.progress import progress
from octavo.interfaces.presenting.operation_answer_in_every_format import operation_answer
from octavo.interfaces.presenting.terminal_rendering import TerminalView
from octavo.operations.operation import Operation
from octavo.operations.operation_lookup import COMMANDS, called
from octavo.operations.styled_answer_lines import visible


def command_of(operation: Operation) -> OperationCommand:
    def run(choices: Choices, request: Any) -> Exit:
        return answered(choices, operation, request)

    return command(operation.takes, operation.name, name=operation.command.rpartition(" ")[2])(run)


def operation_of(words: str) -> Operation:
    """The operation that the command line calls by these words."""
    return COMMANDS[words]


def write_answer(choices: Choices, operation: Operation, answer: Any, view: TerminalView | None = None) -> Exit:
    """Writes an operation's answer, which the exit code sums up."""
    choices.answer(operation_answer(operation, answer, view or TerminalView()))
    return exit_of(operation, answer)


def answered(choices: Choices, operation: Operation, request: Any, *, work: bool = True) -> Exit:
    """Runs an operation and writes its answer; then, with `work`, does the jobs it enqueued."""
    with opened(choices, create=operation.creates, writes=not operation.annotations.read_only) as session:
        answer = operation.run(session.engine, request, progress(quiet=choices.quiet, in_lines=operation.lengthy))
        view = TerminalView(getattr(request, "query", ""), roots=session.roots())
        code = write_answer(choices, operation, answer, view)
        if operation.enqueues and work:
            from octavo.operations.jobs.list_retry_and_run_jobs import work_shortly

            # What was answered is committed. A job that fails from here on is tried again by the next worker.
            if reason := work_shortly(session.engine, session.config.jobs):
                click.echo(f"warning: no vectors yet: {visible(reason)}; a worker computes them later", err=True)
    return code


def exit_of(operation: Operation, answer: Any) -> Exit:
    """Whether anything was found and whether all went well, where an operation says what tells."""
    listing = operation.listing
    matched = listing.matches if isinstance(listing.matches, str) else listing.rows or listing.exact
    if listing.matches and not getattr(answer, matched):
        return Exit.NO_MATCH
    return Exit.PARTIAL if listing.succeeds and not getattr(answer, listing.succeeds) else Exit.OK


class OperationGroup(CommandGroup):
    """A group of commands; those of the table that begin with its name belong to it without being said again."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        begun = f"{self.name} "
        rows = (words.removeprefix(begun) for words in COMMANDS if words.startswith(begun))
        return list(dict.fromkeys((*rows, *self.commands)))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        row = called(f"{self.name} {cmd_name}")
        own = super().get_command(ctx, row.command.rpartition(" ")[2] if row else cmd_name)
        return own or (command_of(row) if row else None)


def group_of(name: str, help: str) -> OperationGroup:
    """A group that has no commands but those of the table."""
    return OperationGroup(name, params=[*shared(hidden=True)], help=help)
