"""Embedders by the names that configurations and profiles give them. Each provider's library is imported on use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from octavo.config.api_keys import api_key
from octavo.config.schema import Embedding, Reranking
from octavo.dataclass import replace
from octavo.errors import ConfigurationError
from octavo.model.embedding_profile import PROVIDERS

if TYPE_CHECKING:
    from octavo.model.embedding_profile import NamedEmbeddingProfile
    from octavo.ports import Embedder, Reranker, TokenCounter

Models = Callable[[Embedding], tuple[Callable[[], "Embedder"], Callable[[], "TokenCounter"]]]


def embedding(settings: Embedding) -> tuple[Callable[[], Embedder], Callable[[], TokenCounter]]:
    """The embedder and its token counter, each made on first use and then cached."""
    if settings.provider == "onnx" and settings.model is None:
        raise ConfigurationError(
            "embedding.provider is onnx, but embedding.model names no folder",
            hint="set embedding.model to the folder that holds model.onnx",
        )
    return cache(partial(_local_embedder, settings)), cache(partial(_local_counter, settings))


def profile_embedder(configured: Embedding, profile: NamedEmbeddingProfile) -> Embedder:
    """The embedder that a profile by name describes; local ones follow the configuration in what it leaves open."""
    settings = profile.settings
    match settings.provider:
        case "bundled" | "onnx" | "hashing":
            folder = Path(settings.model) if settings.model else None
            local = replace(configured, provider=cast("Any", settings.provider), model=folder)
            if local.provider == "hashing":
                return _local_embedder(local, settings.dimensions)
            return embedding(local)[0]()
        case "ollama" | "openai" | "voyage" | "jina":
            from octavo.embedding.providers import completed, remote_embedder

            whole = completed(settings)
            return remote_embedder(profile.name, whole, api_key(whole.key_variable, whole.key_file))
    raise ConfigurationError(
        f"the profile {profile.name} wants the provider {settings.provider}, which this Octavo does not know",
        hint=f"choose one of: {', '.join(PROVIDERS)}",
    )


def reranker(settings: Reranking) -> Callable[[], Reranker]:
    """The configured model's, or the bundled one; it is loaded when a profile first asks for it."""
    return partial(own_reranker, settings, None)


# Nobody who only opens a library needs a model.


def _local_embedder(settings: Embedding, dimensions: int | None = None) -> Embedder:
    from octavo.engine.wiring.local_models import embedder_of

    return embedder_of(settings, dimensions)


def _local_counter(settings: Embedding) -> TokenCounter:
    from octavo.engine.wiring.local_models import counter_of

    return counter_of(settings)


def own_reranker(settings: Reranking, name: str | None) -> Reranker:
    """One made on this machine, by its name; without one, the configuration's."""
    from octavo.engine.wiring.local_models import reranker_of

    return reranker_of(settings, name)
