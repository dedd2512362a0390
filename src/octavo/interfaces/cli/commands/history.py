"""`octavo log` and `octavo history`: commits that say something, and what became of a file or a memory."""

from __future__ import annotations

from octavo.interfaces.cli.from_request import command
from octavo.operations.history.requests import HistoryRequest, LogRequest


@command(LogRequest, "log", optional=["query"], action="history:log")
def log() -> None: ...


@command(HistoryRequest, "history", action="history:history")
def history() -> None: ...
