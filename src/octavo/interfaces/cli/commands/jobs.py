"""`octavo worker` and `octavo jobs`: queued work, done and looked at."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import click

from octavo.interfaces.cli.errors import Exit
from octavo.interfaces.cli.generated_commands import OperationGroup
from octavo.interfaces.cli.library_session import opened
from octavo.interfaces.cli.options import Choices, shared_options
from octavo.interfaces.cli.request_commands import command
from octavo.interfaces.presenting.formats import Answer
from octavo.observability.logs import configure
from octavo.operations.lines import Part, count
from octavo.operations.plain_data import plain


@command(examples=["octavo worker --once"])
@click.option("--once", is_flag=True, help="Stop when nothing is due, rather than wait for more.")
@click.option(
    "--threads",
    type=click.IntRange(1, 64),
    metavar="N",
    help="How many jobs at once.",
    show_default="work.threads",
)
def worker(choices: Choices, once: bool, threads: int | None) -> Exit:
    """Do queued jobs as they come: vectors for what was remembered, and what else takes its time.

    The jobs of every project of the library, unless --project names one. Any number of workers may run. Each takes a
    job for as long as its lease lasts; what a worker that died left undone goes to the next. Exit code 6 means that a
    job failed.
    """
    from octavo.jobs.worker import Round
    from octavo.operations.jobs.run_jobs import work, work_everywhere

    stop = threading.Event()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with opened(choices) as session:
        configure("info" if choices.verbose else session.config.log_level, format=session.config.log_format)
        do = work_everywhere if choices.project is None else work
        many = threads or session.config.work.threads
        if not (once or choices.quiet):
            click.echo(f"Waiting for jobs of {session.library}; Ctrl-C ends it.", err=True)
        with ThreadPoolExecutor(many, "octavo-work") as pool:
            try:
                begun = [
                    pool.submit(do, session.engine, session.config.jobs, stop, until_idle=once) for _ in range(many)
                ]
                done = sum((running.result() for running in begun), Round())
            finally:
                stop.set()  # after Ctrl-C too, each ends with the job it is at
    row = plain(done)
    text = f"{count(done.finished, 'job')} done, {done.failed} to be tried again, {done.dead} given up"
    choices.answer(Answer(row, [row], tuple(row), lambda width: [(Part(text),)], brief=True))
    return Exit.PARTIAL if done.failed or done.dead else Exit.OK


@click.group(cls=OperationGroup)
@shared_options
def jobs() -> None:
    """Look at queued jobs, try them again, delete those that have ended."""
