"""`octavo tui`: the library in the terminal."""

from __future__ import annotations

import sys

import click

from octavo.errors import MissingExtra
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.global_options import Choices
from octavo.interfaces.cli.output import on_terminal
from octavo.plugins import install_command


@command(examples=["octavo tui", "octavo tui --library notes.db"])
def tui(choices: Choices) -> None:
    """Look at the library in the terminal: search as you type, library, memories, traces.

    \b
    F1 search   F2 library   F3 memories   F4 trace   F5 advisories   F6 ask   Ctrl-P everything else   Ctrl-Q leaves

    Needs the extra octavo[tui]. Works over ssh, in 80 by 24, without colours (NO_COLOR) and with a
    mouse. Where a server runs for the library, it is asked.
    """
    run_tui(choices)


def run_tui(choices: Choices) -> None:
    from octavo.interfaces.daemon.server_or_local_library import LibraryClient

    try:
        from octavo.interfaces.tui.app_with_screens import OctavoApp
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        raise MissingExtra(
            "octavo tui needs the package textual, which is not installed", hint=install_command("tui")
        ) from error
    if not on_terminal() or not sys.stdin.isatty():
        raise click.UsageError("octavo tui needs a terminal. octavo search and octavo pick work without one.")
    client = LibraryClient(choices.config())
    try:
        if not client.served:
            client.engine()  # what is wrong with the library is said before anything is drawn
        OctavoApp(client, choices.project).run()
    finally:
        client.close()
