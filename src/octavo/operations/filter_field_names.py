"""Picks the filter fields out of a request by name, without importing what parses them."""

from __future__ import annotations

from typing import Any

_NARROWING = """
    collections path_prefix uris heading_contains tags_all tags_any kinds language where content_types
    modified_after modified_before as_of
"""
"""The names under which requests take what narrows them, each in one meaning."""


def narrowing(request: object) -> dict[str, Any]:
    """What narrows a request, by the names of its fields: to ask another operation within the same bounds."""
    return {name: getattr(request, name) for name in _NARROWING.split() if hasattr(request, name)}
