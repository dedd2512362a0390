"""Filters as query parameters: a missing filter is null, and the SQL lets null through."""

from __future__ import annotations

import json
from typing import Any

from recto.model.query import Filters


def folded(text: str) -> str:
    """As titles, headings and tags are compared: what is stored and what is looked for, both without case."""
    return text.lower()


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
    return folded(value) if value else None
