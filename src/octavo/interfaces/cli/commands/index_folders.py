"""`octavo index`: bring the library in step with its folders."""

from __future__ import annotations

from functools import partial

from octavo.fast_dataclass import replace
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import exit_of, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.interfaces.cli.progress import progress
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.interfaces.presenting.operation_answer_in_every_format import operation_answer
from octavo.interfaces.presenting.terminal_rendering import TerminalView
from octavo.operations.library.rendering import index_lines
from octavo.operations.library.requests import IndexRequest
from octavo.operations.library.results import IndexAnswer


@command(IndexRequest, "index")
def index(choices: Choices, request: IndexRequest) -> Exit:
    return run_index(choices, request)


def run_index(choices: Choices, request: IndexRequest) -> Exit:
    operation = operation_of("index")
    with opened(choices) as session:
        answer: IndexAnswer = operation.run(session.engine, request, progress(quiet=choices.quiet))
    choices.answer(index_answer(answer, verbose=choices.verbose))
    return exit_of(operation, answer)


def index_answer(answer: IndexAnswer, *, verbose: bool) -> Answer:
    """Files that failed are told of even with --quiet; with --verbose, all that was skipped too."""
    operation = operation_of("index")
    lines = partial(index_lines, most=None) if verbose else index_lines
    made = replace(operation_answer(operation, answer, TerminalView()), text=lambda width: lines(answer))
    names = operation.listing.columns
    values = [[getattr(done, name) for name in names] for done in answer.collections]
    cells = [[len(value) if isinstance(value, tuple) else value for value in row] for row in values]
    return replace(made, cells=lambda: cells, brief=answer.complete)
