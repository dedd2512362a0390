"""The only module that writes to stdout: one answer, in the format that was asked for."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from typing import IO, Any

from octavo.interfaces.presenting.formatted_answer_writing import Answer, OutputFormat, Screen, as_json, drawn, written

_WIDEST = 100  # longer lines are harder to read, however wide the window


def screen() -> Screen:
    stream = sys.stdout
    return Screen(width(), stream.isatty(), coloured(stream), _encoding(stream))


def on_terminal() -> bool:
    """Whether somebody watches the answers as they come."""
    return sys.stdout.isatty()


def write(answer: Answer, form: OutputFormat, *, quiet: bool = False) -> None:
    on = screen()
    plain(written(answer, form, on, quiet=quiet))
    if form is OutputFormat.TEXT and answer.exact == "" and not on.watched and not quiet:
        # A pipe gets the exact text, here nothing; whoever waits for it is told why.
        _put(sys.stderr, drawn(answer.text(on.width), colours=False))


def failed(error: Mapping[str, Any]) -> None:
    """The error object, for a caller that asked for JSON."""
    plain(as_json(error, _encoding(sys.stdout)) + "\n")


def stand_in() -> None:
    """For a process started without a stdout: what is written fails by name, and no file of ours gets its number."""
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")


def plain(text: str) -> None:
    """Text as it is: ready to be read, or meant for another program."""
    _put(sys.stdout, text)
    sys.stdout.flush()


def width() -> int:
    return max(20, min(_WIDEST, shutil.get_terminal_size((80, 24)).columns))


def coloured(stream: IO[str]) -> bool:
    """Whether to draw with colours and links: a terminal that can, and nobody asked for plain text."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def _put(stream: IO[str], text: str) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:
        # A terminal of another time, or half a character from a file's name: shown as an escape, not fatal.
        encoding = _encoding(stream)
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def _encoding(stream: IO[str]) -> str:
    return (getattr(stream, "encoding", None) or "utf-8").lower()
