"""Embedders behind services: every provider a profile can name; vectors are checked against what was promised."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from octavo.errors import InvalidArgument, ProviderFailed
from octavo.fast_dataclass import Value, replace
from octavo.model.embedding_profile import (
    INDEX_OPTIONS,
    KEY_VARIABLES,
    USUAL_ADDRESSES,
    EmbeddingProfile,
    EmbeddingProfileSettings,
)
from octavo.services.json_client import Endpoint, Patience, address_problem

_BATCH, _CONCURRENCY, _WINDOW = 64, 2, 8_192
_TOGETHER_CHARACTERS = 48_000  # of chunks embedded together: about half of the smallest context there is

Asked = tuple[str, dict[str, Any]]
"""A path and the body that is posted to it."""


class EmbeddingWire(Protocol):
    """How one service wants to be asked, and how it answers."""

    def ask(self, texts: Sequence[str], *, query: bool) -> Asked: ...

    def read(self, answer: Any) -> list[Any]:
        """The vectors, in the order of the texts."""

    def ask_together(self, chunks: Sequence[str]) -> Asked | None:
        """Chunks of one document, embedded together; None where the service cannot."""


class RemoteEmbedder:
    """Fits `ports.Embedder`. One request holds `batch` texts; `concurrency` requests are on their way at once."""

    def __init__(self, name: str, settings: EmbeddingProfileSettings, wire: EmbeddingWire, endpoint: Endpoint) -> None:
        self._name = name
        self._settings = settings
        self._wire = wire
        self._endpoint = endpoint

    @cached_property
    def profile(self) -> EmbeddingProfile:
        """Asks the service for one vector when nobody said how many dimensions it has."""
        settings = self._settings
        dimensions = settings.dimensions or len(self._vectors(["dimensions"], query=False)[0])
        options = [option for option in sorted(settings.options.items()) if option[0] not in INDEX_OPTIONS]
        said = json.dumps([settings.url, options], default=str)
        return EmbeddingProfile(
            name=self._name,
            model=f"{settings.provider}:{settings.model}",
            revision=hashlib.sha256(said.encode()).hexdigest()[:12],
            dimensions=dimensions,
            window=settings.window or _WINDOW,
            distance=settings.distance,
            query_prefix=settings.query_prefix,
            document_prefix=settings.document_prefix,
        )

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        prefix = self._settings.document_prefix
        size = self._settings.batch or _BATCH
        batches = [[prefix + text for text in texts[at : at + size]] for at in range(0, len(texts), size)]
        if len(batches) <= 1:
            found = [self._vectors(batch, query=False) for batch in batches]
        else:
            with ThreadPoolExecutor(self._settings.concurrency or _CONCURRENCY, "octavo-embed") as pool:
                calls = [pool.submit(copy_context().run, self._vectors, batch, query=False) for batch in batches]
                found = [call.result() for call in calls]
        return self._unit([vector for batch in found for vector in batch], len(texts))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Asks once and not for long: a search goes on without the vector."""
        asked = self._wire.ask([self._settings.query_prefix + text], query=True)
        row: NDArray[np.float32] = self._unit(self._read(asked, 1, post=self._endpoint.post_once), 1)[0]
        return row

    def embed_at_once(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Passages that a search waits for: asked once and not for long, like a query."""
        asked = self._wire.ask([self._settings.document_prefix + text for text in texts], query=False)
        return self._unit(self._read(asked, len(texts), post=self._endpoint.post_once), len(texts))

    def embed_together(self, chunks: Sequence[str]) -> NDArray[np.float32]:
        """Chunks of one document, in order, embedded together; one by one where the service cannot."""
        found: list[Any] = []
        for group in _groups(chunks):
            asked = self._wire.ask_together([self._settings.document_prefix + chunk for chunk in group])
            if asked is None:
                return self.embed(chunks)
            found += self._read(asked, len(group))
        return self._unit(found, len(chunks))

    def _vectors(self, texts: Sequence[str], *, query: bool) -> list[Any]:
        return self._read(self._wire.ask(texts, query=query), len(texts))

    def _read(self, asked: Asked, count: int, *, post: Callable[..., Any] | None = None) -> list[Any]:
        answer = (post or self._endpoint.post)(*asked)
        try:
            found = self._wire.read(answer)
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise ProviderFailed(
                f"{self._name}: the service did not answer with vectors", hint="check the profile's provider and url"
            ) from error
        if len(found) != count:
            raise ProviderFailed(f"{self._name}: the service gave {len(found)} vectors for {count} texts")
        return found

    def _unit(self, vectors: Sequence[Any], count: int) -> NDArray[np.float32]:
        wanted = self.profile.dimensions
        if not count:
            return np.zeros((0, wanted), np.float32)
        try:
            made = np.asarray(vectors, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise ProviderFailed(f"{self._name}: the service gave vectors of different lengths") from error
        if made.shape != (count, wanted):
            got = made.shape[1] if made.ndim == 2 else "no"
            raise ProviderFailed(
                f"{self._name}: the service gave {got} dimensions, the profile says {wanted}",
                hint="set the profile's dimensions to what the model gives",
            )
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise ProviderFailed(f"{self._name}: the service gave a vector that is not made of numbers")
        unit: NDArray[np.float32] = made / lengths
        return unit


def _groups(chunks: Sequence[str]) -> list[Sequence[str]]:
    """Neighbours that fit one context."""
    groups: list[list[str]] = []
    room = 0
    for chunk in chunks:
        if not groups or len(chunk) > room:
            groups.append([])
            room = _TOGETHER_CHARACTERS
        groups[-1].append(chunk)
        room -= len(chunk)
    return list(groups)


_CONTEXTUAL = "voyage-context"  # how the names of the models begin that know only the contextual endpoint


class EmbeddingService(Value):
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


class OpenAIEmbeddingWire(Value):
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


class OllamaEmbeddingWire(OpenAIEmbeddingWire):
    """Ollama's `/api/embed`, which cuts what is longer than the model's context."""

    def ask(self, texts: Sequence[str], *, query: bool) -> Asked:
        body: dict[str, Any] = {"model": self.model, "input": list(texts), "truncate": True}
        return "/api/embed", body | self._size("dimensions")

    def read(self, answer: Any) -> list[Any]:
        return list(answer["embeddings"])


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
