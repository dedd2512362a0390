"""`octavo watch`: take in what changes in the folders, as it changes."""

from __future__ import annotations

import click

from octavo.interfaces.cli.from_request import command


@command(action="watch:watch", examples=["octavo watch --debounce 500"])
@click.option(
    "--debounce", type=click.IntRange(250, 30_000), metavar="MS", help="How long a folder must be quiet first."
)
@click.option("--polling", is_flag=True, help="Look again and again, where the system tells nothing: network folders.")
def watch() -> None:
    """Take in what changes in the folders, as it changes, until Ctrl-C.

    First everything is compared with the library. Every change is told in a line with its time where the output is not
    a terminal. `octavo serve` and `octavo mcp` watch by themselves.
    """
