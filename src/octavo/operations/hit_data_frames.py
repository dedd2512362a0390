"""Hits as a table of pandas or Polars, whichever is installed."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from octavo.errors import ConfigurationError
from octavo.plugins import install_command

if TYPE_CHECKING:
    from octavo.operations.search.results import FoundHit

COLUMNS = (
    *("rank", "score", "citation", "collection", "uri", "title", "heading_path", "start_line", "end_line", "excerpt"),
    *("kind", "page", "path", "modified_at", "chunk_id"),
)


def hits_frame(hits: Iterable[FoundHit], library: str | None = None) -> Any:
    """`library` is `pandas` or `polars`; else the first that is installed."""
    name = library or next((each for each in ("pandas", "polars") if find_spec(each)), "pandas")
    if find_spec(name) is None:
        raise ConfigurationError(f"a table of hits needs {name}", hint=install_command("frames"))
    rows = [[_cell(getattr(hit, column)) for column in COLUMNS] for hit in hits]
    if name == "polars":
        return import_module(name).DataFrame(rows, schema=list(COLUMNS), orient="row")
    return import_module(name).DataFrame(rows, columns=list(COLUMNS))


def _cell(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
