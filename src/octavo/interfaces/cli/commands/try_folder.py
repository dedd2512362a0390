"""`octavo try`: a folder, a question, an answer, and nothing left behind."""

from __future__ import annotations

from pathlib import Path

import click

from octavo.interfaces.cli.commands.search import showing_options
from octavo.interfaces.cli.from_request import command


@command(
    action="try_folder:try_folder", name="try", examples=["octavo try observatory when does the dome have to close"]
)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("words", nargs=-1, metavar="QUESTION...")
@click.option("--open", "browse", is_flag=True, help="Show it in the browser until Ctrl-C, with or without a question.")
@showing_options
def try_folder() -> None:
    """Index a folder into a temporary library and ask it something.

    The library is deleted afterwards. Ctrl-C while vectors are computed answers with what there is by then.
    """
