"""Haystack: a retriever component over a library.

from octavo.integrations.haystack import HaystackRetriever

pipeline.add_component("retriever", HaystackRetriever(octavo.open("notes.db"), top_k=5))
"""

from __future__ import annotations

from typing import Any

from haystack import Document, component

from octavo import Library
from octavo.integrations.hit_metadata import citation


@component
class HaystackRetriever:
    """`filters` are arguments of `library.search`: `collections`, `kinds`, `tags_all`, `show_all` …"""

    def __init__(self, library: Library, top_k: int = 10, **filters: Any) -> None:
        self._library, self._top_k, self._filters = library, top_k, filters

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        hits = self._library.search(query, limit=top_k or self._top_k, **self._filters)
        return {
            "documents": [
                Document(id=hit.chunk_id, content=hit.excerpt, meta=citation(hit), score=hit.score) for hit in hits
            ]
        }
