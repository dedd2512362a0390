"""What a failure means to whoever called: an exit code, a line for people, an object for machines.

0  ok                      4  not indexed, or stale where freshness was required
1  no match                5  busy: another process is writing
2  usage                   6  part of the work failed
3  configuration           7  a model or the network failed
70 a defect in Octavo       130 stopped by Ctrl-C
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from octavo import errors


class Exit(IntEnum):
    OK = 0
    NO_MATCH = 1
    USAGE = 2
    CONFIGURATION = 3
    NOT_INDEXED = 4
    BUSY = 5
    PARTIAL = 6
    MODEL = 7
    DEFECT = 70
    STOPPED = 130


EXITS: Mapping[type[errors.OctavoError], Exit] = {
    errors.OctavoError: Exit.DEFECT,
    errors.InvalidArgument: Exit.USAGE,
    errors.ConfigurationError: Exit.CONFIGURATION,
    errors.Forbidden: Exit.USAGE,
    errors.NotFound: Exit.NO_MATCH,
    errors.NotIndexed: Exit.NOT_INDEXED,
    errors.Stale: Exit.NOT_INDEXED,
    errors.Busy: Exit.BUSY,
    errors.Conflict: Exit.USAGE,
    errors.RecipeMismatch: Exit.CONFIGURATION,
    errors.LibraryError: Exit.NOT_INDEXED,
    errors.NotALibrary: Exit.CONFIGURATION,
    errors.NewerLibrary: Exit.CONFIGURATION,
    errors.StorageError: Exit.PARTIAL,
    errors.SourceError: Exit.PARTIAL,
    errors.ParseError: Exit.PARTIAL,
    errors.ProviderFailed: Exit.MODEL,
}
"""The exit of an error is that of its nearest class here."""


class CommandFailure(NamedTuple):
    """An error as it leaves the command line."""

    exit: Exit
    code: str
    message: str
    hint: str | None = None
    details: Mapping[str, Any] = MappingProxyType({})

    def as_json(self) -> dict[str, Any]:
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint, "details": dict(self.details)}}


def failure(error: BaseException) -> CommandFailure:
    """Anything that is not an error on purpose is a defect; its traceback is one flag away."""
    if isinstance(error, errors.OctavoError):
        exit = next(EXITS[kind] for kind in type(error).__mro__ if kind in EXITS)
        return CommandFailure(exit, error.code, error.message, error.hint, error.details)
    return CommandFailure(
        Exit.DEFECT,
        "INTERNAL",
        f"unexpected {type(error).__name__}: {error}",
        "this is a defect in Octavo; run the command again with --verbose to see where it happened",
    )


def usage(message: str, hint: str | None, details: Mapping[str, Any]) -> CommandFailure:
    return failure(errors.InvalidArgument(message, hint=hint, details=details))


STOPPED = CommandFailure(Exit.STOPPED, "STOPPED", "stopped; the next run continues where this one left off")
