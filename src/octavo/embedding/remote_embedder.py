"""An embedder behind a service: texts go out in batches, what comes back is checked against what was promised."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from octavo.errors import ProviderFailed
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.embedding_profile_settings import EmbeddingProfileSettings
from octavo.model.vector_index_tuning import INDEX_OPTIONS
from octavo.services.json_client import Endpoint

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
