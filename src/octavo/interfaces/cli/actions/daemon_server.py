"""`octavo daemon run`: being the server that the clients of a library share."""

from __future__ import annotations

import os

from octavo.config.load import load
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.daemon.address import place
from octavo.interfaces.daemon.server import AlreadyRunning, serve
from octavo.observability.logs import configure


def run(choices: Choices, idle: float, ready: int | None) -> None:
    config = load(choices.flags()).config
    configure("info" if choices.verbose else config.log_level, format=config.log_format)

    def report_ready() -> None:
        if ready is not None:
            os.write(ready, b"1")
            os.close(ready)

    try:
        serve(place(config), idle, report_ready)
    except AlreadyRunning:
        report_ready()
