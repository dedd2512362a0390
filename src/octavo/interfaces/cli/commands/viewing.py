"""`octavo open`: the file behind a hit, in the program that shows such files."""

from __future__ import annotations

import click

from octavo.interfaces.cli.from_request import command


@command(action="viewing:open_file", name="open", examples=['octavo open "observing/Closing down.md" --print'])
@click.argument("reference", metavar="REF")
@click.option("-c", "--collection", metavar="NAME", help="The collection it is in.")
@click.option("--page", type=click.IntRange(1), metavar="N", help="At this page rather than that of the passage.")
@click.option("--print", "only_print", is_flag=True, help="Only print the address.")
def open_file() -> None:
    """Open the file of a hit, at its page where the viewer can.

    REF is what `octavo get` takes: a uri, a link such as papers/a.pdf#page=7, or the id of a chunk.
    """
