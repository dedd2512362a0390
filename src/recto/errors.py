"""Every error Recto raises on purpose.

RectoError
├── InvalidArgument        INVALID_ARGUMENT   the caller asked for something that cannot be asked
├── ConfigurationError     INVALID_ARGUMENT   a setting is unknown, malformed or contradicts another
├── NotFound               NOT_FOUND          the named document, chunk, collection or project is not here
├── NotIndexed             NOT_INDEXED        the library exists but holds nothing to search yet
├── Stale                  NOT_INDEXED        the answer was required to be fresh and is not
├── Busy                   INDEX_BUSY         another process holds what is needed; trying again will work
├── Conflict               CONFLICT           the change contradicts what is already recorded
│   └── RecipeMismatch     CONFLICT           the index was made another way and must not be mixed
├── LibraryError           INDEX_CORRUPT      the library cannot be read as a library
│   ├── NotALibrary        INDEX_CORRUPT      the file is something else
│   ├── NewerLibrary       INDEX_CORRUPT      a later Recto wrote it
│   └── DamagedSnapshot    INDEX_CORRUPT      an accelerator's files are missing or changed; the library is not
├── StorageError           IO_ERROR           the disk, or the database on it, refused
├── SourceError            IO_ERROR           a file or folder could not be read
├── ParseError             INVALID_ARGUMENT   one document's content could not be understood
├── ProviderFailed         PROVIDER_FAILED    a model or remote service failed
│   └── ModelUnavailable   MODEL_DOWNLOAD_FAILED  a model's files are missing or damaged
└── MissingExtra           INVALID_ARGUMENT   an optional dependency is not installed
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class RectoError(Exception):
    """A failure on purpose: a code for machines, a message that names the thing, a hint that says what to do."""

    code: ClassVar[str] = "INTERNAL"

    def __init__(self, message: str, *, hint: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = dict(details or {})


class InvalidArgument(RectoError):
    code = "INVALID_ARGUMENT"


class ConfigurationError(RectoError):
    code = "INVALID_ARGUMENT"


class NotFound(RectoError):
    code = "NOT_FOUND"


class NotIndexed(RectoError):
    code = "NOT_INDEXED"


class Stale(RectoError):
    code = "NOT_INDEXED"


class Busy(RectoError):
    code = "INDEX_BUSY"


class Conflict(RectoError):
    code = "CONFLICT"


class RecipeMismatch(Conflict):
    pass


class LibraryError(RectoError):
    code = "INDEX_CORRUPT"


class NotALibrary(LibraryError):
    pass


class NewerLibrary(LibraryError):
    pass


class DamagedSnapshot(LibraryError):
    pass


class StorageError(RectoError):
    code = "IO_ERROR"


class SourceError(RectoError):
    code = "IO_ERROR"


class ParseError(RectoError):
    code = "INVALID_ARGUMENT"


class ProviderFailed(RectoError):
    code = "PROVIDER_FAILED"


class ModelUnavailable(ProviderFailed):
    code = "MODEL_DOWNLOAD_FAILED"


class MissingExtra(RectoError):
    code = "INVALID_ARGUMENT"
