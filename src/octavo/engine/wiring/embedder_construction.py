"""Embedders by the names that configurations and profiles give them. Each provider's library is imported on use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from octavo.config.api_keys import api_key
from octavo.config.schema import Embedding
from octavo.errors import ConfigurationError
from octavo.fast_dataclass import dataclass, replace
from octavo.model.embedding_profile import NamedEmbeddingProfile, providers
from octavo.plugins import PROVIDERS, has, load

if TYPE_CHECKING:
    from octavo.ports import Embedder, TokenCounter


@dataclass(frozen=True)
class ConfiguredEmbedder:
    """The embedder of a configuration and its token counter, each made on first use and then kept."""

    settings: Embedding
    dimensions: int | None = None
    """Of hashed vectors; other models have their own."""

    def __post_init__(self) -> None:
        if self.settings.provider == "onnx" and self.settings.model is None:
            raise ConfigurationError(
                "embedding.provider is onnx, but embedding.model names no folder",
                hint="set embedding.model to the folder that holds model.onnx",
            )

    @cached_property
    def embedder(self) -> Embedder:
        from octavo.engine.wiring.local_model_construction import (
            embedder_of,  # nobody who only opens a library needs a model
        )

        return embedder_of(self.settings, self.dimensions)

    @cached_property
    def counter(self) -> TokenCounter:
        from octavo.engine.wiring.local_model_construction import counter_of

        return counter_of(self.settings)


Embedders = Callable[[Embedding], ConfiguredEmbedder]
"""Makes the embedder of a configuration: several engines of one process may share one."""


def profile_embedder(configured: Embedding, profile: NamedEmbeddingProfile) -> Embedder:
    """The embedder that a profile by name describes; local ones follow the configuration in what it leaves open."""
    settings = profile.settings
    match settings.provider:
        case "bundled" | "onnx" | "hashing":
            folder = Path(settings.model) if settings.model else None
            local = replace(configured, provider=cast("Any", settings.provider), model=folder)
            return ConfiguredEmbedder(local, settings.dimensions).embedder
        case "ollama" | "openai" | "voyage" | "jina":
            from octavo.embedding.embedding_services import completed, remote_embedder

            whole = completed(settings)
            return remote_embedder(profile.name, whole, api_key(whole.key_variable, whole.key_file))
        case added if has(PROVIDERS, added):
            embedder: Embedder = load(PROVIDERS, added)(
                profile.name, settings, api_key(settings.key_variable, settings.key_file)
            )
            return embedder
    raise ConfigurationError(
        f"the profile {profile.name} wants the provider {settings.provider}, which this Octavo does not know",
        hint=f"choose one of: {', '.join(providers())}",
    )
