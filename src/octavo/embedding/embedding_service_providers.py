"""Every service an embedding profile can name, and how each is reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.embedding.remote_embedder import Asked, EmbeddingWire, RemoteEmbedder
from octavo.errors import InvalidArgument
from octavo.fast_dataclass import dataclass, replace
from octavo.model.embedding_profile_settings import KEY_VARIABLES, USUAL_ADDRESSES, EmbeddingProfileSettings
from octavo.model.vector_index_tuning import INDEX_OPTIONS
from octavo.services.json_client import Endpoint, Patience, address_problem

_CONTEXTUAL = "voyage-context"  # how the names of the models begin that know only the contextual endpoint


@dataclass(frozen=True, slots=True)
class EmbeddingService:
    """Where a service is and where its key is looked for, unless a profile says otherwise."""

    url: str
    key_variable: str = ""
    options: tuple[str, ...] = ()


SERVICES: Mapping[str, EmbeddingService] = {
    "ollama": EmbeddingService("http://127.0.0.1:11434", options=("shorten",)),
    "openai": EmbeddingService(USUAL_ADDRESSES["openai"], KEY_VARIABLES["openai"], ("shorten",)),
    "voyage": EmbeddingService(USUAL_ADDRESSES["voyage"], KEY_VARIABLES["voyage"], ("contextual",)),
    "jina": EmbeddingService(USUAL_ADDRESSES["jina"], KEY_VARIABLES["jina"], ("late_chunking",)),
}


def completed(settings: EmbeddingProfileSettings) -> EmbeddingProfileSettings:
    """The settings with the service's own address and the name of its key, or the reason why they cannot be used."""
    service = SERVICES[settings.provider]
    if not settings.model:
        raise InvalidArgument(f"a profile of {settings.provider} needs a model")
    for name in settings.options:
        if name not in service.options and name not in INDEX_OPTIONS:
            known = f"it has: {', '.join(service.options)}" if service.options else "it has none"
            raise InvalidArgument(f"{settings.provider} has no option {name}", hint=known)
    url = settings.url or service.url
    if problem := address_problem(url):
        raise InvalidArgument(f"the url of {settings.provider} {problem}")
    # A key meant for one service is not sent to another address.
    variable = settings.key_variable or (service.key_variable if url == service.url else "")
    return replace(settings, url=url, key_variable=variable)


def remote_embedder(name: str, settings: EmbeddingProfileSettings, key: str | None) -> RemoteEmbedder:
    settings = completed(settings)
    usual = Patience()
    patience = Patience(
        timeout_seconds=settings.timeout_seconds or usual.timeout_seconds,
        retries=usual.retries if settings.retries is None else settings.retries,
        requests_per_minute=settings.requests_per_minute,
    )
    endpoint = Endpoint(f"{name} ({settings.provider})", settings.url, key, patience)
    return RemoteEmbedder(name, settings, _wire(settings), endpoint)


def _wire(settings: EmbeddingProfileSettings) -> EmbeddingWire:
    model, dimensions, options = settings.model, settings.dimensions, settings.options
    # Many servers refuse a size in the request, even their own: only who wants shorter vectors says one.
    shortened = dimensions if options.get("shorten") else None
    match settings.provider:
        case "ollama":
            return OllamaEmbeddingWire(model, shortened)
        case "openai":
            return OpenAIEmbeddingWire(model, shortened)
        case "voyage":
            return VoyageWire(model, dimensions, contextual=bool(options.get("contextual")))
    return JinaWire(model, dimensions, late_chunking=bool(options.get("late_chunking")))


@dataclass(frozen=True, slots=True)
class OpenAIEmbeddingWire:
    """The `/embeddings` that OpenAI began and many servers speak. The url ends where it begins, usually in `/v1`."""

    model: str
    dimensions: int | None = None

    def ask(self, texts: Sequence[str], *, query: bool) -> Asked:
        body: dict[str, Any] = {"model": self.model, "input": list(texts), "encoding_format": "float"}
        return "/embeddings", body | self._size("dimensions")

    def read(self, answer: Any) -> list[Any]:
        return _in_order(answer["data"])

    def ask_together(self, chunks: Sequence[str]) -> Asked | None:
        return None

    def _size(self, name: str) -> dict[str, Any]:
        return {name: self.dimensions} if self.dimensions else {}


@dataclass(frozen=True, slots=True)
class OllamaEmbeddingWire(OpenAIEmbeddingWire):
    """Ollama's `/api/embed`, which cuts what is longer than the model's context."""

    def ask(self, texts: Sequence[str], *, query: bool) -> Asked:
        body: dict[str, Any] = {"model": self.model, "input": list(texts), "truncate": True}
        return "/api/embed", body | self._size("dimensions")

    def read(self, answer: Any) -> list[Any]:
        return list(answer["embeddings"])


@dataclass(frozen=True, slots=True)
class JinaWire(OpenAIEmbeddingWire):
    """With `late_chunking` the texts of one request are read as one document, then separated."""

    late_chunking: bool = False

    def ask(self, texts: Sequence[str], *, query: bool) -> Asked:
        return "/embeddings", self._body(texts, "retrieval.query" if query else "retrieval.passage")

    def ask_together(self, chunks: Sequence[str]) -> Asked | None:
        if not self.late_chunking:
            return None
        return "/embeddings", self._body(chunks, "retrieval.passage") | {"late_chunking": True}

    def _body(self, texts: Sequence[str], task: str) -> dict[str, Any]:
        body = {"model": self.model, "task": task, "input": list(texts), "embedding_type": "float"}
        return body | self._size("dimensions")


@dataclass(frozen=True, slots=True)
class VoyageWire(OpenAIEmbeddingWire):
    """Chunks of a document are embedded together by `/contextualizedembeddings`; a contextual model is asked there for
    single texts too, as documents of one chunk."""

    contextual: bool = False

    def ask(self, texts: Sequence[str], *, query: bool) -> Asked:
        purpose = "query" if query else "document"
        if self._knows_context:
            return self._in_context([[text] for text in texts], purpose)
        body: dict[str, Any] = {"model": self.model, "input": list(texts), "input_type": purpose, "truncation": True}
        return "/embeddings", body | self._size("output_dimension")

    def read(self, answer: Any) -> list[Any]:
        if self._knows_context:
            documents = sorted(answer["data"], key=lambda document: int(document["index"]))
            return [vector for document in documents for vector in _in_order(document["data"])]
        return _in_order(answer["data"])

    def ask_together(self, chunks: Sequence[str]) -> Asked | None:
        return self._in_context([list(chunks)], "document") if self._knows_context else None

    @property
    def _knows_context(self) -> bool:
        return self.contextual or self.model.startswith(_CONTEXTUAL)

    def _in_context(self, documents: list[list[str]], purpose: str) -> Asked:
        body: dict[str, Any] = {"model": self.model, "inputs": documents, "input_type": purpose}
        return "/contextualizedembeddings", body | self._size("output_dimension")


def _in_order(data: Sequence[Any]) -> list[Any]:
    """The embeddings by their index: an answer may list them in another order than they were asked for."""
    return [item["embedding"] for item in sorted(data, key=lambda item: int(item["index"]))]
