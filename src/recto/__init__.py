"""Recto: a local-first retrieval and memory engine. Straight to the right page.

    import recto

    with recto.open_library("notes.db", create=True) as library:
        library.add_collection("notes", Path("notes"))
        library.index()
        for hit in library.search(recto.Query("where is the pump switch?")).hits:
            ...

What is named here is promised; everything else may change. Names are resolved when they are used, so that
`import recto` costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recto.config.schema import Config
    from recto.engine.engine import Engine
    from recto.engine.parts import IndexReport
    from recto.engine.wiring import open_library
    from recto.errors import (
        Busy,
        ConfigurationError,
        Conflict,
        DamagedSnapshot,
        InvalidArgument,
        LibraryError,
        MissingExtra,
        ModelUnavailable,
        NewerLibrary,
        NotALibrary,
        NotFound,
        NotIndexed,
        ParseError,
        ProviderFailed,
        RecipeMismatch,
        RectoError,
        SourceError,
        Stale,
        StorageError,
    )
    from recto.model.collection import CollectionSettings
    from recto.model.document import Kind
    from recto.model.query import Filters, Query
    from recto.model.result import Citation, Freshness, Hit, Result
    from recto.model.text import Lines, Span
    from recto.retrieval.profiles import PROFILES
    from recto.retrieval.stage import Profile

__version__ = "0.1.0"

__all__ = [
    "PROFILES",
    "Busy",
    "Citation",
    "CollectionSettings",
    "Config",
    "ConfigurationError",
    "Conflict",
    "DamagedSnapshot",
    "Engine",
    "Filters",
    "Freshness",
    "Hit",
    "IndexReport",
    "InvalidArgument",
    "Kind",
    "LibraryError",
    "Lines",
    "MissingExtra",
    "ModelUnavailable",
    "NewerLibrary",
    "NotALibrary",
    "NotFound",
    "NotIndexed",
    "ParseError",
    "Profile",
    "ProviderFailed",
    "Query",
    "RecipeMismatch",
    "RectoError",
    "Result",
    "SourceError",
    "Span",
    "Stale",
    "StorageError",
    "__version__",
    "open_library",
]

_ELSEWHERE: Mapping[str, str] = {
    "PROFILES": "recto.retrieval.profiles",
    "Citation": "recto.model.result",
    "CollectionSettings": "recto.model.collection",
    "Config": "recto.config.schema",
    "Engine": "recto.engine.engine",
    "Filters": "recto.model.query",
    "Freshness": "recto.model.result",
    "Hit": "recto.model.result",
    "IndexReport": "recto.engine.parts",
    "Kind": "recto.model.document",
    "Lines": "recto.model.text",
    "Profile": "recto.retrieval.stage",
    "Query": "recto.model.query",
    "Result": "recto.model.result",
    "Span": "recto.model.text",
    "open_library": "recto.engine.wiring",
}
"""Where a public name lives; what is not here is an error."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_ELSEWHERE.get(name, "recto.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
