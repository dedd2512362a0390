"""Octavo: a local-first retrieval and memory engine. The library that fits in your pocket.

    import octavo

    with octavo.open("notes.db", create=True) as library:
        library.add("~/notes", name="notes")
        library.index()
        for hit in library.search("where is the pump switch?", limit=5):
            print(hit.score, hit.uri, hit.start_line, hit.excerpt)

What is named here, and in `octavo.answers`, is promised; everything else may change. Names are resolved when they are
used, so that `import octavo` costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from octavo.version import __version__

if TYPE_CHECKING:
    from octavo.answers import (
        FoundHit,
        FoundMemory,
        Freshness,
        GetAnswer,
        IndexAnswer,
        IndexingRun,
        MemoryState,
        RecallAnswer,
        SearchAnswer,
        StatusAnswer,
    )
    from octavo.errors import (
        Busy,
        ConfigurationError,
        Conflict,
        DamagedLibrary,
        DamagedSnapshot,
        Forbidden,
        InvalidArgument,
        LeaseLost,
        LibraryClosed,
        LibraryError,
        MissingExtra,
        ModelUnavailable,
        NewerLibrary,
        NotALibrary,
        NotFound,
        NotIndexed,
        OctavoError,
        ParseError,
        ProviderFailed,
        RecipeMismatch,
        SourceError,
        Stale,
        StorageError,
    )
    from octavo.interfaces.python.async_library import AsyncLibrary, open_async
    from octavo.interfaces.python.language_model_tools import ToolAnswer, Tools
    from octavo.interfaces.python.library import Library
    from octavo.interfaces.python.library_opening import open
    from octavo.interfaces.python.progress_callbacks import ProgressUpdate

__all__ = [
    "AsyncLibrary",
    "Busy",
    "ConfigurationError",
    "Conflict",
    "DamagedLibrary",
    "DamagedSnapshot",
    "Forbidden",
    "FoundHit",
    "FoundMemory",
    "Freshness",
    "GetAnswer",
    "IndexAnswer",
    "IndexingRun",
    "InvalidArgument",
    "LeaseLost",
    "Library",
    "LibraryClosed",
    "LibraryError",
    "MemoryState",
    "MissingExtra",
    "ModelUnavailable",
    "NewerLibrary",
    "NotALibrary",
    "NotFound",
    "NotIndexed",
    "OctavoError",
    "ParseError",
    "ProgressUpdate",
    "ProviderFailed",
    "RecallAnswer",
    "RecipeMismatch",
    "SearchAnswer",
    "SourceError",
    "Stale",
    "StatusAnswer",
    "StorageError",
    "ToolAnswer",
    "Tools",
    "__version__",
    "open",
    "open_async",
]

_ELSEWHERE: Mapping[str, str] = {
    "AsyncLibrary": "octavo.interfaces.python.async_library",
    "FoundHit": "octavo.answers",
    "FoundMemory": "octavo.answers",
    "Freshness": "octavo.answers",
    "GetAnswer": "octavo.answers",
    "IndexAnswer": "octavo.answers",
    "IndexingRun": "octavo.answers",
    "Library": "octavo.interfaces.python.library",
    "MemoryState": "octavo.answers",
    "ProgressUpdate": "octavo.interfaces.python.progress_callbacks",
    "RecallAnswer": "octavo.answers",
    "SearchAnswer": "octavo.answers",
    "StatusAnswer": "octavo.answers",
    "ToolAnswer": "octavo.interfaces.python.language_model_tools",
    "Tools": "octavo.interfaces.python.language_model_tools",
    "open": "octavo.interfaces.python.library_opening",
    "open_async": "octavo.interfaces.python.async_library",
}
"""Where a public name lives; what is not here is an error."""


if not TYPE_CHECKING:  # to a type checker, a name that is not promised is a mistake

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(_ELSEWHERE.get(name, "octavo.errors")), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
