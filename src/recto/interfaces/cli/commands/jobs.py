"""`recto worker` and `recto jobs`: promised work, done and looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.layout import Line, Part, columns, count
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.session import opened
from recto.operations.plain import plain

if TYPE_CHECKING:
    from recto.operations.jobs import JobsAnswer

_COLUMNS = ("job", "kind", "state", "attempts", "created_at", "run_after", "error")
_STATES = ("ready", "leased", "done", "dead")


@click.command()
@click.option("--once", is_flag=True, help="Stop when nothing is due, rather than wait for more.")
@click.option(
    "--threads", type=click.IntRange(1, 64), metavar="N", help="How many jobs at once; work.threads unless said."
)
@shared_options
@pass_choices
def worker(choices: Choices, once: bool, threads: int | None) -> Exit:
    """Do promised work as it comes: vectors for what was remembered, and what else takes its time.

    The work of every project of the library, unless --project names one. Any number of workers may run. Each takes a
    job for as long as its lease lasts; what a worker that died left undone goes to the next. Exit code 6 means that a
    job failed.
    """
    import signal
    import threading
    from concurrent.futures import ThreadPoolExecutor

    from recto.jobs.worker import Round
    from recto.operations.jobs import work, work_everywhere

    stop = threading.Event()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with opened(choices) as session:
        do = work_everywhere if choices.project is None else work
        many = threads or session.config.work.threads
        with ThreadPoolExecutor(many, "recto-work") as pool:
            try:
                begun = [
                    pool.submit(do, session.engine, session.config.jobs, stop, until_idle=once) for _ in range(many)
                ]
                done = sum((one.result() for one in begun), Round())
            finally:
                stop.set()  # after Ctrl-C too, each ends with the job it is at
    row = plain(done)
    text = f"{count(done.finished, 'job')} done, {done.failed} to be tried again, {done.dead} given up"
    choices.answer(Answer(row, [row], tuple(row), lambda width: [(Part(text),)], brief=True))
    return Exit.PARTIAL if done.failed or done.dead else Exit.OK


@click.group()
@shared_options
def jobs() -> None:
    """Look at promised work, try it again, clear it away."""


@jobs.command("list")
@click.option("--state", "states", multiple=True, type=click.Choice(_STATES), help="Only in this state.")
@shared_options
@pass_choices
def list_jobs(choices: Choices, states: tuple[str, ...]) -> None:
    """List jobs, oldest first."""
    from recto.operations.jobs import JobsListRequest, jobs_list

    with opened(choices) as session:
        found = jobs_list(session.engine, JobsListRequest(states))
    rows = [plain(one) for one in found.jobs]
    choices.answer(Answer({"jobs": rows}, rows, _COLUMNS, lambda width: _lines(found)))


@jobs.command()
@click.argument("numbers", nargs=-1, type=int, metavar="[NUMBER...]")
@shared_options
@pass_choices
def retry(choices: Choices, numbers: tuple[int, ...]) -> None:
    """Try jobs again now: the numbered ones, or all that were given up."""
    from recto.operations.jobs import jobs_retry

    with opened(choices) as session:
        found = jobs_retry(session.engine, numbers)
    choices.answer(_counted(found, "to be tried again"))


@jobs.command()
@click.option("--state", "states", multiple=True, type=click.Choice(("done", "dead")), help="Done ones unless said.")
@click.option("--before", metavar="TIME", help="Only what ended before: 2024-05-01, or an age such as 7d.")
@shared_options
@pass_choices
def purge(choices: Choices, states: tuple[str, ...], before: str | None) -> None:
    """Delete jobs that have ended."""
    from recto.operations.jobs import jobs_purge

    with opened(choices) as session:
        found = jobs_purge(session.engine, states, before)
    choices.answer(_counted(found, "deleted"))


def _counted(found: int, what: str) -> Answer:
    row = {"jobs": found}
    return Answer(row, [row], ("jobs",), lambda width: [(Part(f"{count(found, 'job')} {what}"),)], brief=True)


def _lines(found: JobsAnswer) -> Iterator[Line]:
    styles = {"dead": "bad", "leased": "good", "done": "dim"}
    rows = [
        (
            Part(str(one.job), "dim"),
            Part(one.kind),
            Part(one.state, styles.get(one.state, "")),
            Part(count(one.attempts, "attempt")),
            Part(one.error, "warn"),
        )
        for one in found.jobs
    ]
    yield from columns(rows) if rows else [(Part("No jobs."),)]
