"""Every error Octavo raises on purpose.

OctavoError
├── InvalidArgument        INVALID_ARGUMENT   the caller asked for something that cannot be asked
│   └── LibraryClosed      INVALID_ARGUMENT   the library was closed before, or during, this call
├── ConfigurationError     CONFIGURATION      a setting is unknown, malformed or contradicts another
│   └── MissingExtra       CONFIGURATION      an optional dependency is not installed
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

from collections.abc import Mapping
from typing import Any, ClassVar


class OctavoError(Exception):
    """A failure on purpose: a code for machines, a message that names the thing, a hint that says what to do."""

    code: ClassVar[str] = "INTERNAL"

    def __init__(self, message: str, *, hint: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = dict(details or {})


class InvalidArgument(OctavoError):
    code = "INVALID_ARGUMENT"


class LibraryClosed(InvalidArgument):
    pass


class ConfigurationError(OctavoError):
    code = "CONFIGURATION"


class MissingExtra(ConfigurationError):
    pass


class NotFound(OctavoError):
    code = "NOT_FOUND"


class NotIndexed(OctavoError):
    code = "NOT_INDEXED"


class Stale(OctavoError):
    code = "NOT_INDEXED"


class Busy(OctavoError):
    code = "INDEX_BUSY"


class LeaseLost(Busy):
    pass


class Conflict(OctavoError):
    code = "CONFLICT"


class RecipeMismatch(Conflict):
    pass


class LibraryError(OctavoError):
    code = "INDEX_CORRUPT"


class NotALibrary(LibraryError):
    pass


class NewerLibrary(LibraryError):
    pass


class DamagedSnapshot(LibraryError):
    pass


class StorageError(OctavoError):
    code = "IO_ERROR"


class SourceError(OctavoError):
    code = "IO_ERROR"


class ParseError(OctavoError):
    code = "INVALID_ARGUMENT"


class ProviderFailed(OctavoError):
    code = "PROVIDER_FAILED"


class ModelUnavailable(ProviderFailed):
    code = "MODEL_DOWNLOAD_FAILED"
