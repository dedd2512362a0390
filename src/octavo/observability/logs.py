"""Logs for the operator, on stderr.

Names, counts and durations may be logged at any level; the text of a document, a memory or a query only at DEBUG.
"""

from __future__ import annotations

import logging
import sys
import time
from copy import copy
from typing import TextIO

from octavo.errors import InvalidArgument

LEVELS = ("debug", "info", "warning", "error")

_ROOT = logging.getLogger("octavo")
_ROOT.addHandler(logging.NullHandler())

_ESCAPES = {code: f"\\x{code:02x}" for code in [*range(32), *range(127, 160)]} | {10: "\\n", 13: "\\r", 9: "\\t"}


def logger(name: str) -> logging.Logger:
    """The logger of one part of Octavo: `logger("ingest")` writes as `octavo.ingest`."""
    return _ROOT.getChild(name)


def configure(level: str = "warning", stream: TextIO | None = None) -> None:
    """Sends Octavo's logs from `level` on to `stream`, by default stderr. Calling it again replaces what was set."""
    if level not in LEVELS:
        raise InvalidArgument(f"there is no log level {level!r}", hint=f"use one of {', '.join(LEVELS)}")
    handler = logging.StreamHandler(stream if stream is not None else sys.stderr)
    handler.setFormatter(_OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%SZ"))
    for old in _ROOT.handlers[:]:
        _ROOT.removeHandler(old)
    _ROOT.addHandler(handler)
    _ROOT.setLevel(level.upper())
    _ROOT.propagate = False


class _OneLine(logging.Formatter):
    """One line per message, in UTC. File names may hold newlines and terminal escapes; a log line must not."""

    converter = staticmethod(time.gmtime)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (named by the standard library)
        record = copy(record)  # other handlers see it as it was
        record.levelname = record.levelname.lower()
        record.message = record.message.translate(_ESCAPES)
        return super().formatMessage(record)
