"""LlamaIndex: a retriever over a library.

from octavo.integrations.llama_index import LlamaIndexRetriever

nodes = LlamaIndexRetriever(octavo.open("notes.db"), limit=5).retrieve("when does the dome have to close?")
"""

from __future__ import annotations

from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from octavo import Library
from octavo.integrations.citations import citation


class LlamaIndexRetriever(BaseRetriever):
    """`filters` are arguments of `library.search`: `collections`, `kinds`, `tags_all`, `show_all` …"""

    def __init__(self, library: Library, limit: int = 10, **filters: Any) -> None:
        self._library, self._limit, self._filters = library, limit, filters
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._library.search(query_bundle.query_str, limit=self._limit, **self._filters)
        return [
            NodeWithScore(node=TextNode(id_=hit.chunk_id, text=hit.excerpt, metadata=citation(hit)), score=hit.score)
            for hit in hits
        ]
