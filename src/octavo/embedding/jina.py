"""Jina's `/embeddings`, with `late_chunking` for the chunks of a document that are embedded together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from octavo.dataclass import dataclass
from octavo.embedding.openai import in_order
from octavo.embedding.remote_embedder import Asked


@dataclass(frozen=True, slots=True)
class JinaWire:
    """Fits `remote.Wire`. With `late_chunking` the texts of one request are read as one document, then separated."""

    model: str
    dimensions: int | None = None
    late_chunking: bool = False

    def ask(self, texts: Sequence[str], *, query: bool) -> Asked:
        return "/embeddings", self._body(texts, "retrieval.query" if query else "retrieval.passage")

    def read(self, answer: Any) -> list[Any]:
        return in_order(answer["data"])

    def ask_together(self, chunks: Sequence[str]) -> Asked | None:
        if not self.late_chunking:
            return None
        return "/embeddings", self._body(chunks, "retrieval.passage") | {"late_chunking": True}

    def read_together(self, answer: Any) -> list[Any]:
        return self.read(answer)

    def _body(self, texts: Sequence[str], task: str) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.model, "task": task, "input": list(texts), "embedding_type": "float"}
        return body | ({"dimensions": self.dimensions} if self.dimensions else {})
