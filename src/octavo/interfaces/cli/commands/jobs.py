"""`octavo worker` and `octavo jobs`: queued work, done and looked at."""

from __future__ import annotations

import click

from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.generated import OperationGroup
from octavo.interfaces.cli.options import shared_options


@command(action="worker:worker", examples=["octavo worker --once"])
@click.option("--once", is_flag=True, help="Stop when nothing is due, rather than wait for more.")
@click.option(
    "--threads",
    type=click.IntRange(1, 64),
    metavar="N",
    help="How many jobs at once.",
    show_default="work.threads",
)
def worker() -> None:
    """Do queued jobs as they come: vectors for what was remembered, and what else takes its time.

    The jobs of every project of the library, unless --project names one. Any number of workers may run. Each takes a
    job for as long as its lease lasts; what a worker that died left undone goes to the next. Exit code 6 means that a
    job failed.
    """


@click.group(cls=OperationGroup)
@shared_options
def jobs() -> None:
    """Look at queued jobs, try them again, delete those that have ended."""
