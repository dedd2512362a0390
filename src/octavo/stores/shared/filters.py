"""Filters as query parameters: an unset filter is null, which the SQL treats as no restriction."""

from __future__ import annotations

import json
from typing import Any

from octavo.algorithms.folding import fold
from octavo.model.query import Filters


def folded(text: str) -> str:
    """The form in which tags and names of people are stored and compared: without case."""
    return text.lower()


def unaccented(text: str) -> str:
    """The form in which titles and headings are stored and compared: without case and accents."""
    return text.lower() if text.isascii() else fold(text).casefold()


def filter_parameters(filters: Filters) -> dict[str, Any]:
    return {
        "collections": _listed(filters.collections),
        "path_prefix": filters.path_prefix,
        "uris": _listed(filters.uris),
        "not_uris": _listed(filters.not_uris),
        "kinds": _listed(tuple(str(kind) for kind in filters.kinds)),
        "languages": _listed(filters.languages),
        "modified_after": filters.modified_after,
        "modified_before": filters.modified_before,
        "title_contains": _wanted(filters.title_contains),
        "tags_all": _listed(tuple(folded(tag) for tag in filters.tags_all)),
        "tags_any": _listed(tuple(folded(tag) for tag in filters.tags_any)),
        "heading_contains": _wanted(filters.heading_contains),
    }


def _listed(values: tuple[str, ...]) -> str | None:
    return json.dumps(values, ensure_ascii=False) if values else None


def _wanted(value: str | None) -> str | None:
    return unaccented(value) if value else None
