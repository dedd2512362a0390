"""Logs for the operator, on stderr.

Names, counts and durations may be logged at any level; the text of a document, a memory or a query only at DEBUG.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Mapping
from copy import copy
from datetime import UTC, datetime
from typing import Any, TextIO

from octavo.errors import no_such_choice

LEVELS = ("debug", "info", "warning", "error")

_ROOT = logging.getLogger("octavo")
_ROOT.addHandler(logging.NullHandler())

_ESCAPES = {code: f"\\x{code:02x}" for code in [*range(32), *range(127, 160)]} | {10: "\\n", 13: "\\r", 9: "\\t"}


def logger(name: str) -> logging.Logger:
    """The logger of one part of Octavo: `logger("ingest")` writes as `octavo.ingest`."""
    return _ROOT.getChild(name)


def configure(level: str = "warning", stream: TextIO | None = None, *, format: str = "text") -> None:
    """Sends Octavo's logs from `level` on to `stream`, by default stderr. Calling it again replaces what was set."""
    if level not in LEVELS:
        raise no_such_choice("log level", "log_level", level, LEVELS)
    if format not in FORMATS:
        raise no_such_choice("log format", "log_format", format, tuple(FORMATS))
    handler = logging.StreamHandler(stream if stream is not None else sys.stderr)
    handler.setFormatter(FORMATS[format]())
    for old in _ROOT.handlers[:]:
        _ROOT.removeHandler(old)
    _ROOT.addHandler(handler)
    _ROOT.setLevel(level.upper())
    _ROOT.propagate = False


class _OneLine(logging.Formatter):
    """One line per message, in UTC. File names may hold newlines and terminal escapes; a log line must not."""

    converter = staticmethod(time.gmtime)

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%SZ")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (named by the standard library)
        record = copy(record)  # other handlers see it as it was
        record.levelname = record.levelname.lower()
        record.message = record.message.translate(_ESCAPES)
        return super().formatMessage(record)


class _Json(logging.Formatter):
    """An object per line: `data` has what the message was made of, and the traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        made = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {
            "ts": made,
            "level": record.levelname.lower(),
            "component": record.name.removeprefix("octavo").lstrip(".") or "octavo",
            "msg": record.getMessage(),
            "data": _data(self, record),
        }
        return json.dumps(line, ensure_ascii=True, default=str)  # ASCII: nothing in a name can reach a terminal


def _data(formatter: logging.Formatter, record: logging.LogRecord) -> dict[str, Any]:
    given = record.args or {}
    data: dict[str, Any] = dict(given) if isinstance(given, Mapping) else {"args": [_plain(value) for value in given]}
    if record.exc_info and record.exc_info[0] is not None:
        data |= {"exception": record.exc_info[0].__name__, "traceback": formatter.formatException(record.exc_info)}
    return data


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, bool | int | float) else str(value)


FORMATS: Mapping[str, Callable[[], logging.Formatter]] = {"text": _OneLine, "json": _Json}
