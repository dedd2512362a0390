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
