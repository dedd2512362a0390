"""`octavo index` and `octavo watch`: bring the library in step with its folders, once or as they change."""

from __future__ import annotations

import queue
import signal
import threading
from datetime import datetime
from functools import partial

import click

from octavo.errors import NotIndexed
from octavo.fast_dataclass import replace
from octavo.ingest.indexing_report import IndexReport
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import exit_of, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.interfaces.cli.output import on_terminal
from octavo.interfaces.cli.progress import progress
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.interfaces.presenting.operation_answer_in_every_format import operation_answer
from octavo.interfaces.presenting.terminal_rendering import TerminalView
from octavo.observability.logs import configure
from octavo.operations.library.rendering import index_lines, log_lines
from octavo.operations.library.requests import IndexRequest
from octavo.operations.library.results import IndexAnswer
from octavo.operations.styled_answer_lines import count


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


@command(examples=["octavo watch --debounce 500"])
@click.option(
    "--debounce", type=click.IntRange(250, 30_000), metavar="MS", help="How long a folder must be quiet first."
)
@click.option("--polling", is_flag=True, help="Look again and again, where the system tells nothing: network folders.")
def watch(choices: Choices, debounce: int | None, polling: bool) -> Exit:
    """Take in what changes in the folders, as it changes, until Ctrl-C.

    First everything is compared with the library. Every change is told in a line with its time where the output is not
    a terminal. `octavo serve` and `octavo mcp` watch by themselves.
    """
    from octavo.config.config_file_reloading import load_with_files
    from octavo.interfaces.execution.async_operation_calls import following

    config, files = load_with_files(choices.flags())
    configure("info" if choices.verbose else config.log_level, format=config.log_format)
    with opened(choices) as session:
        engine = session.engine
        folders = [collection for collection in engine.collections() if collection.on_disk]
        if not folders:
            raise NotIndexed("the library has no collections", hint="run `octavo add FOLDER --name NAME`")
        settings = engine.watcher.settings
        settings = replace(settings, debounce_ms=debounce or settings.debounce_ms, polling=polling or settings.polling)
        reports: queue.SimpleQueue[IndexReport | None] = queue.SimpleQueue()
        engine.watcher.on_report = reports.put
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: reports.put(None))
        engine.watcher.start(settings)
        closing = threading.Event()
        following(session.config, files)(engine, closing)
        if not choices.quiet:
            click.echo(f"Watching {count(len(folders), 'folder')}; Ctrl-C ends it.", err=True)
        while (report := reports.get()) is not None:
            _tell(choices, report)
        closing.set()
        engine.watcher.stop()
        engine.builds.stop(5.0)
    return Exit.OK


def _tell(choices: Choices, report: IndexReport) -> None:
    from octavo.operations.library.indexing import answered

    answer = answered(report)
    made = replace(index_answer(answer, verbose=choices.verbose), brief=False)
    if not on_terminal():
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        made = replace(made, text=lambda width: log_lines(answer, now))
    choices.answer(made)
