"""The metadata that a hit takes into a document of another framework: citation, lines, page, score."""

from __future__ import annotations

from typing import Any

from octavo.answers import FoundHit

_KEPT = (
    *("collection", "uri", "path", "title", "kind", "start_line", "end_line", "start", "end", "symbol", "language"),
    *("page", "slide", "sheet", "time", "url", "doi", "citation_key", "reference", "chunk_id", "document_id"),
    *("modified_at", "score"),
)


def citation(hit: FoundHit) -> dict[str, Any]:
    """`citation` (`notes/a.md:7-12`, which `library.get` reads), uri, lines, heading path, page and the like."""
    told = {name: value for name in _KEPT if (value := getattr(hit, name)) is not None}
    return {"citation": hit.citation, "heading_path": list(hit.heading_path), **told}
