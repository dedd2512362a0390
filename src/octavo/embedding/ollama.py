"""Ollama's `/api/embed`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from octavo.dataclass import dataclass
from octavo.embedding.remote_embedder import Asked

URL = "http://127.0.0.1:11434"


@dataclass(frozen=True, slots=True)
class OllamaEmbeddingWire:
    """Fits `remote.Wire`. Ollama cuts what is longer than the model's context."""

    model: str
    dimensions: int | None = None

    def ask(self, texts: Sequence[str], *, query: bool) -> Asked:
        body: dict[str, Any] = {"model": self.model, "input": list(texts), "truncate": True}
        return "/api/embed", body | ({"dimensions": self.dimensions} if self.dimensions else {})

    def read(self, answer: Any) -> list[Any]:
        return list(answer["embeddings"])

    def ask_together(self, chunks: Sequence[str]) -> Asked | None:
        return None

    def read_together(self, answer: Any) -> list[Any]:
        return self.read(answer)
