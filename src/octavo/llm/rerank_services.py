"""Rerank services: a question and passages go out, scores come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.errors import ProviderFailed
from octavo.fast_dataclass import dataclass
from octavo.model.language_model_settings import ModelSettings
from octavo.services.json_client import Endpoint


@dataclass(frozen=True, slots=True)
class RerankServiceAddress:
    """Where a rerank service is, unless a model's table says otherwise. All of them have a `/rerank` of one shape."""

    url: str
    key_variable: str = ""


RERANK_SERVICES: Mapping[str, RerankServiceAddress] = {
    "cohere": RerankServiceAddress("https://api.cohere.com/v2", "COHERE_API_KEY"),
    "jina": RerankServiceAddress("https://api.jina.ai/v1", "JINA_API_KEY"),
    "llamacpp": RerankServiceAddress("http://127.0.0.1:8080"),
}


class RerankService:
    """Fits `ports.Reranker`."""

    def __init__(self, name: str, settings: ModelSettings, endpoint: Endpoint) -> None:
        self._said = name
        self._settings = settings
        self._endpoint = endpoint

    @property
    def name(self) -> str:
        return f"{self._settings.provider}:{self._settings.model or self._said}"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        if not texts:
            return ()
        body: dict[str, Any] = {"query": query, "documents": list(texts), "top_n": len(texts)}
        if self._settings.model:
            body["model"] = self._settings.model
        answer = self._endpoint.post_within("/rerank", body, self._settings.timeout_seconds)
        try:
            results = answer if isinstance(answer, list) else answer["results"]
            scores = {int(each["index"]): _score(each) for each in results}
            return [scores[at] for at in range(len(texts))]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ProviderFailed(
                f"the rerank service {self._said} did not score every passage", hint="check its provider and url"
            ) from error


def _score(result: Mapping[str, Any]) -> float:
    """Cohere, Jina and llama.cpp call it `relevance_score`; text-embeddings-inference says `score`."""
    return float(result["relevance_score"] if "relevance_score" in result else result["score"])
