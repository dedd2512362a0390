"""A conversation and its turns, in one form for the exports of every chat program."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from octavo.converting.text_builder import one_line
from octavo.fast_dataclass import Value

OWN = "conversation"
"""What our own form of a conversation says it is: `{"octavo": "conversation", "title": …, "turns": […]}`."""

_LONGEST_SPEAKER = 80
_TITLE = 80


class Turn(Value):
    """What somebody said; `time` in seconds since 1970, where it is known."""

    speaker: str
    text: str
    time: float | None = None

    @property
    def heading(self) -> str:
        """`Ada, 2026-03-02 10:12`: by whom and when a passage is cited."""
        speaker = one_line(self.speaker)[:_LONGEST_SPEAKER] or "Unknown"
        return f"{speaker}, {shown(self.time)}" if self.time is not None else speaker


class Conversation(Value):
    """`key` tells it from others of the same title; `source` is the program that kept it; `folder` where one worked."""

    title: str
    turns: tuple[Turn, ...]
    source: str
    key: str = ""
    folder: str = ""

    @property
    def times(self) -> list[float]:
        return [turn.time for turn in self.turns if turn.time is not None]


def title_from(given: object, turns: Iterable[Turn], fallback: str) -> str:
    """The first line that somebody says, where nobody gave the conversation a name."""
    first = next((one_line(turn.text.strip().split("\n", 1)[0]) for turn in turns if turn.text.strip()), "")
    return str(given or "") or (f"{first[:_TITLE]}…" if len(first) > _TITLE else first) or fallback


def shown(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M")


def iso(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds")
