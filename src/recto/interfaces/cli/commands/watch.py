"""`recto watch`: take in what changes in the folders, as it changes."""

from __future__ import annotations

import queue
import signal
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from recto.interfaces.cli.commands.index import report_answer
from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.session import opened

if TYPE_CHECKING:
    from recto.engine.parts import IndexReport


@click.command()
@click.option(
    "--debounce", type=click.IntRange(250, 30_000), metavar="MS", help="How long a folder must be quiet first."
)
@click.option("--polling", is_flag=True, help="Look again and again, where the system tells nothing: network folders.")
@shared_options
@pass_choices
def watch(choices: Choices, debounce: int | None, polling: bool) -> Exit:
    """Take in what changes in the folders, as it changes, until Ctrl-C.

    First everything is compared with the library. `recto serve` and `recto mcp` watch by themselves.
    """
    from recto.config.following import loaded
    from recto.errors import NotIndexed
    from recto.interfaces.calls import following
    from recto.observability.logs import configure

    configure("info" if choices.verbose else "warning")
    _, files = loaded(choices.flags())
    with opened(choices) as session:
        engine = session.engine
        folders = [one for one in engine.collections() if one.on_disk]
        if not folders:
            raise NotIndexed("the library has no collections", hint="run `recto add FOLDER --name NAME`")
        settings = engine.watching.settings
        settings = replace(settings, debounce_ms=debounce or settings.debounce_ms, polling=polling or settings.polling)
        reports: queue.SimpleQueue[IndexReport | None] = queue.SimpleQueue()
        engine.watching.told = reports.put
        for asked in (signal.SIGINT, signal.SIGTERM):
            signal.signal(asked, lambda *_: reports.put(None))
        engine.watching.start(settings)
        closing = threading.Event()
        following(session.config, files)(engine, closing)
        if not choices.quiet:
            number = len(folders)
            click.echo(f"Watching {number} {'folder' if number == 1 else 'folders'}; Ctrl-C ends it.", err=True)
        while (report := reports.get()) is not None:
            choices.answer(report_answer(report, verbose=choices.verbose, brief=False))
        closing.set()
        engine.watching.stop()
        engine.builds.stop(5.0)
    return Exit.OK
