"""Voyage's `/embeddings`, and `/contextualizedembeddings` for the chunks of a document that are embedded together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from octavo.dataclass import dataclass
from octavo.embedding.openai import in_order
from octavo.embedding.remote_embedder import Asked

_CONTEXTUAL = "voyage-context"  # how the names of the models begin that know only the contextual endpoint


@dataclass(frozen=True, slots=True)
class VoyageWire:
    """Fits `remote.Wire`. A contextual model is asked for single texts as documents of one chunk."""

    model: str
    dimensions: int | None = None
    contextual: bool = False

    def ask(self, texts: Sequence[str], *, query: bool) -> Asked:
        purpose = "query" if query else "document"
        if self._knows_context:
            return self._in_context([[text] for text in texts], purpose)
        body: dict[str, Any] = {"model": self.model, "input": list(texts), "input_type": purpose, "truncation": True}
        return "/embeddings", body | self._size()

    def read(self, answer: Any) -> list[Any]:
        if self._knows_context:
            documents = sorted(answer["data"], key=lambda document: int(document["index"]))
            return [vector for document in documents for vector in in_order(document["data"])]
        return in_order(answer["data"])

    def ask_together(self, chunks: Sequence[str]) -> Asked | None:
        return self._in_context([list(chunks)], "document") if self._knows_context else None

    def read_together(self, answer: Any) -> list[Any]:
        return self.read(answer)

    @property
    def _knows_context(self) -> bool:
        return self.contextual or self.model.startswith(_CONTEXTUAL)

    def _in_context(self, documents: list[list[str]], purpose: str) -> Asked:
        body: dict[str, Any] = {"model": self.model, "inputs": documents, "input_type": purpose}
        return "/contextualizedembeddings", body | self._size()

    def _size(self) -> dict[str, Any]:
        return {"output_dimension": self.dimensions} if self.dimensions else {}
