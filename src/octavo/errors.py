"""Every error Octavo raises on purpose.

`details` tells programs what the message tells people. Whatever the code promises is there, None where nobody knows:

INVALID_ARGUMENT   field, value, reason, valid_options
NOT_FOUND          uri, heading_path, near (names that are written alike), sections (of the document that was found)
INDEX_BUSY         started_at: since when the other is at work, in seconds since 1970
INDEX_CORRUPT      snapshot, reason, missing_files
IO_ERROR           path, operation (read, write), errno

OctavoError
├── InvalidArgument        INVALID_ARGUMENT   the caller asked for something that cannot be asked
│   └── LibraryClosed      INVALID_ARGUMENT   the library was closed before, or during, this call
├── ConfigurationError     CONFIGURATION      a setting is unknown, malformed or contradicts another
│   └── MissingExtra       CONFIGURATION      an optional dependency is not installed
├── Forbidden              FORBIDDEN          the caller's token does not allow it
├── NotFound               NOT_FOUND          the named document, chunk, collection or project is not here
├── NotIndexed             NOT_INDEXED        the library exists but holds nothing to search yet
├── Stale                  NOT_INDEXED        the answer was required to be fresh and is not
├── Busy                   INDEX_BUSY         another process holds what is needed; trying again will work
│   └── LeaseLost          INDEX_BUSY         the right to a piece of work ran out, and another process took it over
├── Conflict               CONFLICT           the change contradicts what is already recorded
│   └── RecipeMismatch     CONFLICT           the index was made another way and must not be mixed
├── LibraryError           INDEX_CORRUPT      the library cannot be read as a library
│   ├── NotALibrary        INDEX_CORRUPT      the file is something else
│   ├── NewerLibrary       INDEX_CORRUPT      a later Octavo wrote it
│   └── DamagedSnapshot    INDEX_CORRUPT      an accelerator's files are missing or changed; the library is not
├── StorageError           IO_ERROR           the disk, or the database on it, refused
├── SourceError            IO_ERROR           a file or folder could not be read
├── ParseError             INVALID_ARGUMENT   one document's content could not be understood
└── ProviderFailed         PROVIDER_FAILED    a model or remote service failed
    └── ModelUnavailable   MODEL_DOWNLOAD_FAILED  a model's files are missing or damaged
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar


class OctavoError(Exception):
    """A failure on purpose: a code for machines, a message that names the thing, a hint that says what to do."""

    code: ClassVar[str] = "INTERNAL"
    promised: ClassVar[tuple[str, ...]] = ()

    def __init__(self, message: str, *, hint: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self._details: dict[str, Any] = dict(details or {})

    @property
    def details(self) -> dict[str, Any]:
        """What was said when it was raised, beside what follows from the error itself."""
        return {**dict.fromkeys(self.promised), **self._implied(), **self._details}

    def hide(self, hidden: Callable[[Any], Any]) -> None:
        """Has the message, the hint and the details told as `hidden` gives them."""
        self.message, self.hint = hidden(self.message), hidden(self.hint)
        self._details = hidden(self._details)
        self.args = (self.message,)

    def _implied(self) -> dict[str, Any]:
        return {}


class InvalidArgument(OctavoError):
    code = "INVALID_ARGUMENT"
    promised = ("field", "value", "reason", "valid_options")

    def _implied(self) -> dict[str, Any]:
        return {"reason": self.message}


class LibraryClosed(InvalidArgument):
    pass


class ConfigurationError(OctavoError):
    code = "CONFIGURATION"


class MissingExtra(ConfigurationError):
    pass


class Forbidden(OctavoError):
    code = "FORBIDDEN"


class NotFound(OctavoError):
    code = "NOT_FOUND"
    promised = ("uri", "heading_path", "near", "sections")


class NotIndexed(OctavoError):
    code = "NOT_INDEXED"


class Stale(OctavoError):
    code = "NOT_INDEXED"


class Busy(OctavoError):
    code = "INDEX_BUSY"
    promised = ("started_at",)


class LeaseLost(Busy):
    pass


class Conflict(OctavoError):
    code = "CONFLICT"


class RecipeMismatch(Conflict):
    pass


class LibraryError(OctavoError):
    code = "INDEX_CORRUPT"
    promised = ("snapshot", "reason", "missing_files")

    def _implied(self) -> dict[str, Any]:
        return {"reason": self.message, "missing_files": []}


class NotALibrary(LibraryError):
    pass


class NewerLibrary(LibraryError):
    pass


class DamagedLibrary(LibraryError):
    """The file itself cannot be read as a database, or not all of it."""


class DamagedSnapshot(LibraryError):
    pass


class StorageError(OctavoError):
    code = "IO_ERROR"
    promised = ("path", "operation", "errno")

    def _implied(self) -> dict[str, Any]:
        return _of_the_system(self.__cause__, "write")


class SourceError(OctavoError):
    code = "IO_ERROR"
    promised = ("path", "operation", "errno")

    def _implied(self) -> dict[str, Any]:
        return _of_the_system(self.__cause__, "read")


class ParseError(OctavoError):
    code = "INVALID_ARGUMENT"
    promised = InvalidArgument.promised

    def _implied(self) -> dict[str, Any]:
        return {"reason": self.message}


class ProviderFailed(OctavoError):
    code = "PROVIDER_FAILED"


class ModelUnavailable(ProviderFailed):
    code = "MODEL_DOWNLOAD_FAILED"


def no_such_choice(what: str, field: str, value: object, options: Sequence[str]) -> InvalidArgument:
    """What was chosen is none of the options.

    >>> no_such_choice("mode", "mode", "loud", ["full", "compressed"]).hint
    'choose one of: full, compressed'
    """
    reason = f"there is no {what} {value}"
    return InvalidArgument(
        reason,
        hint=f"choose one of: {', '.join(options)}",
        details={"field": field, "value": value, "reason": reason, "valid_options": list(options)},
    )


def _of_the_system(cause: BaseException | None, operation: str) -> dict[str, Any]:
    """What the operating system said, where it was the one that refused."""
    if not isinstance(cause, OSError):
        return {"operation": operation}
    path = cause.filename
    return {"path": str(path) if path is not None else None, "operation": operation, "errno": cause.errno}


def system_message(error: Exception) -> str:
    """What went wrong; of an error of the system without its number and the path, which the message names already.

    >>> system_message(PermissionError(13, "Permission denied", "a.toml")), system_message(ValueError("no key"))
    ('Permission denied', 'no key')
    """
    return (isinstance(error, OSError) and error.strerror) or str(error)
