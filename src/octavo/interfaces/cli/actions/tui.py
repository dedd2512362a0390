"""`octavo tui`: starts the app, or says what it needs."""

from __future__ import annotations

import sys

import click

from octavo.config.load import load
from octavo.errors import MissingExtra
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.cli.output import on_terminal
from octavo.interfaces.library_client import LibraryClient

try:
    from octavo.interfaces.tui.app import OctavoApp
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "textual":
        raise
    raise MissingExtra(
        "octavo tui needs the package textual, which is not installed", hint="pip install 'octavo[tui]'"
    ) from error


def run(choices: Choices) -> None:
    if not on_terminal() or not sys.stdin.isatty():
        raise click.UsageError("octavo tui needs a terminal. octavo search and octavo pick work without one.")
    client = LibraryClient(load(choices.flags()).config)
    try:
        if not client.served:
            client.engine()  # what is wrong with the library is said before anything is drawn
        OctavoApp(client, choices.project).run()
    finally:
        client.close()
