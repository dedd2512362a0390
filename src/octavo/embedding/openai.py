"""The `/embeddings` that OpenAI began and many servers speak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from octavo.dataclass import dataclass
from octavo.embedding.remote_embedder import Asked


@dataclass(frozen=True, slots=True)
class OpenAIEmbeddingWire:
    """Fits `remote.Wire`. The url ends where `/embeddings` begins, usually in `/v1`."""

    model: str
    dimensions: int | None = None

    def ask(self, texts: Sequence[str], *, query: bool) -> Asked:
        body: dict[str, Any] = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        return "/embeddings", body | ({"dimensions": self.dimensions} if self.dimensions else {})

    def read(self, answer: Any) -> list[Any]:
        return in_order(answer["data"])

    def ask_together(self, chunks: Sequence[str]) -> Asked | None:
        return None

    def read_together(self, answer: Any) -> list[Any]:
        return self.read(answer)


def in_order(data: Sequence[Any]) -> list[Any]:
    """The embeddings by their index: an answer may list them in another order than they were asked for."""
    return [item["embedding"] for item in sorted(data, key=lambda item: int(item["index"]))]
