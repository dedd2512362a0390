"""LangChain: a retriever over a library.

from octavo.integrations.langchain import OctavoRetriever

retriever = OctavoRetriever(library=octavo.open("notes.db"), k=5)
documents = retriever.invoke("when does the dome have to close?")
"""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from octavo.integrations.citations import citation


class OctavoRetriever(BaseRetriever):
    """`filters` are arguments of `library.search`: `collections`, `kinds`, `tags_all`, `show_all` …"""

    library: Any
    k: int = 10
    filters: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, **filters: Any
    ) -> list[Document]:
        hits = self.library.search(query, limit=k or self.k, **{**self.filters, **filters})
        return [Document(page_content=hit.excerpt, metadata=citation(hit), id=hit.chunk_id) for hit in hits]
