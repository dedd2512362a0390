"""`octavo worker`: queued work, done."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import click

from octavo.fast_dataclass import replace
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.model.job import JobKind
from octavo.observability.logs import configure
from octavo.observability.metrics import Metrics
from octavo.operations.answer_conversion import plain
from octavo.operations.styled_answer_lines import Part, count


@command(examples=["octavo worker --once"])
@click.option("--once", is_flag=True, help="Stop when nothing is due, rather than wait for more.")
@click.option(
    "--threads", type=click.IntRange(1, 64), metavar="N", help="How many jobs at once.", show_default="work.threads"
)
@click.option(
    "--name", default="", envvar="WORKER_ID", metavar="NAME", help="What its leases name; WORKER_ID says too."
)
@click.option(
    "--kinds",
    multiple=True,
    type=click.Choice([kind.value for kind in JobKind]),
    help="Only this kind of job; may be given again.",
    show_default="jobs.kinds",
)
@click.option("--metrics-port", type=click.IntRange(0, 65_535), metavar="N", help="Serve /metrics and /health there.")
@click.option(
    "--metrics-host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen for them."
)
def worker(
    choices: Choices,
    once: bool,
    threads: int | None,
    name: str,
    kinds: tuple[str, ...],
    metrics_port: int | None,
    metrics_host: str,
) -> Exit:
    """Do queued jobs as they come: vectors for what was remembered, and what else takes its time.

    The jobs of every project of the library, unless --project names one. Any number of workers may run. Each takes a
    job for as long as its lease lasts; what a worker that died left undone goes to the next. SIGTERM and Ctrl-C end it
    after the job it is at, and give back what it had claimed. Exit code 6 means that a job failed.
    """
    from octavo.jobs.worker import Round
    from octavo.operations.jobs.list_retry_and_run_jobs import work, work_everywhere

    stop = threading.Event()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with opened(choices) as session:
        configure("info" if choices.verbose else session.config.log_level, format=session.config.log_format)
        do = work_everywhere if choices.project is None else work
        many = threads or session.config.work.threads
        if not (once or choices.quiet):
            click.echo(f"Waiting for jobs of {session.library}; Ctrl-C ends it.", err=True)
        settings = replace(session.config.jobs, kinds=kinds or session.config.jobs.kinds)
        if session.config.traces:
            from octavo.interfaces.execution.async_operation_calls import trace_if_wanted

            trace_if_wanted(session.engine)
        with ExitStack() as stack:
            if metrics_port is not None:
                from octavo.engine.maintenance.library_and_job_gauges import job_gauges
                from octavo.interfaces.serving.worker_metrics_server import metrics_served

                metrics, engine = Metrics(), session.engine
                engine.observers.append(metrics)
                told = metrics_served(metrics_host, metrics_port, lambda: metrics.exposition(job_gauges(engine)))
                port = stack.enter_context(told)
                if not choices.quiet:
                    click.echo(f"Metrics at http://{metrics_host}:{port}/metrics", err=True)
            pool = stack.enter_context(ThreadPoolExecutor(many, "octavo-work"))
            try:
                begun = [
                    pool.submit(do, session.engine, settings, stop, until_idle=once, name=name) for _ in range(many)
                ]
                done = sum((running.result() for running in begun), Round())
            finally:
                stop.set()  # after Ctrl-C too, each ends with the job it is at
    row = plain(done)
    text = f"{count(done.finished, 'job')} done, {done.failed} to be tried again, {done.dead} given up"
    choices.answer(Answer(row, [row], tuple(row), lambda width: [(Part(text),)], brief=True))
    return Exit.PARTIAL if done.failed or done.dead else Exit.OK
