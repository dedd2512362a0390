"""An advisory: work that was requested and waits for a command, shown the same way in every interface."""

from __future__ import annotations

from typing import Literal

from octavo.fast_dataclass import Value


class Advisory(Value):
    level: Literal["info", "warn"]
    message: str
    command: str | None = None

    def __str__(self) -> str:
        return f"{self.message}; run `{self.command}`" if self.command else self.message


class OfflineRun(Value):
    """A long job over the whole library that a person or a worker starts: the state of its last run.

    `at` is when it ended, or started if it is still running; `chunks` how many the library had then, where known.
    """

    name: str
    state: Literal["done", "stale", "running", "interrupted", "failed"]
    at: str
    chunks: int | None = None
