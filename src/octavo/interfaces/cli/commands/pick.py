"""`octavo pick`: search as you type below the prompt, and print where the chosen passage is."""

from __future__ import annotations

import click

from octavo.interfaces.cli.from_request import command


@command(action="pick:pick", examples=["octavo pick dome humidity --first", "octavo pick closing --list"])
@click.argument("words", nargs=-1, metavar="[QUERY]...")
@click.option(
    "-c", "--collection", "collections", multiple=True, metavar="NAME", help="Only this one. May be repeated."
)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 200), default=50, show_default=True, metavar="N", help="Most rows."
)
@click.option("--first", is_flag=True, help="Print the best one without asking.")
@click.option("--list", "all_rows", is_flag=True, help="Print all of them without asking.")
@click.option(
    "--open", "edit", is_flag=True, help="Open it in $VISUAL or $EDITOR, at the line, instead of printing it."
)
def pick() -> None:
    """Search as you type below the prompt, and print the chosen PATH:LINE.

    Rows are passages that the query finds by word and by meaning, then files whose names have its letters in order.
    The list is drawn on the terminal and only the choice goes to stdout, for `$(octavo pick)` and for editors. Where
    there is no terminal, all rows are printed, as with --list.

    \b
    In a shell:
      $EDITOR "$(octavo pick | cut -d: -f1)"
      octavo pick dome --open
    """
