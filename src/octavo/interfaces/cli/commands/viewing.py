"""`octavo open`: the library in the browser, or the file behind a hit in the program that shows such files."""

from __future__ import annotations

import click

from octavo.interfaces.cli.from_request import command


@command(action="viewing:open_file", name="open", examples=['octavo open "observing/Closing down.md" --print'])
@click.argument("reference", metavar="[REF]", required=False)
@click.option("-c", "--collection", metavar="NAME", help="The collection it is in.")
@click.option("--page", type=click.IntRange(1), metavar="N", help="At this page rather than that of the passage.")
@click.option("--print", "only_print", is_flag=True, help="Only print the address.")
def open_file() -> None:
    """Open the library in the browser, or the file of a hit at its page.

    REF is what `octavo get` takes: a uri, a link such as papers/a.pdf#page=7, or the id of a chunk. Without it the
    library is served to this machine until Ctrl-C, as by `octavo serve --open`.
    """
