"""An advisory: something that was asked for and waits for a command, told in every interface alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Advisory:
    level: Literal["info", "warn"]
    message: str
    command: str | None = None

    def __str__(self) -> str:
        return f"{self.message}; run `{self.command}`" if self.command else self.message


@dataclass(frozen=True, slots=True)
class OfflineRun:
    """Work over the whole library that a person or a worker starts: how its last run stands.

    `at` is when it ended, or began if it has not; `chunks` how many the library had then, where that is known.
    """

    name: str
    state: Literal["done", "stale", "running", "interrupted", "failed"]
    at: float
    chunks: int | None = None
