"""LangChain: a retriever over a library, and a store of texts under keys that are memories.

from octavo.integrations.langchain import OctavoRetriever

retriever = OctavoRetriever(library=octavo.open("notes.db"), k=5)
documents = retriever.invoke("when does the dome have to close?")
store = OctavoStore(library)
store.mset([("rules/dome", "The dome closes at 85 per cent humidity.")])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.stores import BaseStore
from pydantic import Field

from octavo import Library, NotFound
from octavo.integrations.hit_metadata import citation


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


class OctavoStore(BaseStore[str, str]):
    """Texts under keys such as `rules/dome`. Each is a canonical document of the library: `recall` finds it, its
    versions stay readable, and what is deleted is archived. A secret is refused; newlines at the end are dropped."""

    def __init__(self, library: Library, doc_class: str = "langchain") -> None:
        self._library, self._class = library, doc_class

    def mget(self, keys: Sequence[str]) -> list[str | None]:
        return [document and document.text.removesuffix("\n") for document in map(self._document, keys)]

    def mset(self, key_value_pairs: Sequence[tuple[str, str]]) -> None:
        for key, text in key_value_pairs:
            self._library.canonical.upsert(key, text, doc_class=self._class)

    def mdelete(self, keys: Sequence[str]) -> None:
        for document in filter(None, map(self._document, keys)):
            self._library.forget(document.item)

    def yield_keys(self, *, prefix: str | None = None) -> Iterator[str]:
        for document in self._library.canonical.list(doc_classes=self._class).documents:
            if document.key.startswith(prefix or ""):
                yield document.key

    def _document(self, key: str) -> Any:
        try:
            document = self._library.canonical.get(key)
        except NotFound:
            return None
        return document if document.status == "active" else None
