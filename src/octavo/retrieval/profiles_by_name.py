"""The built-in retrieval profiles by name. A profile is a value: print it, store it, write your own in TOML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from octavo.errors import InvalidArgument

if TYPE_CHECKING:
    from octavo.retrieval.stage import RetrievalProfile


class _BuiltIn(Mapping[str, "RetrievalProfile"]):
    """Where each profile is defined. Whoever only names one imports no stages, and a search by one not all of them."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules

    def __getitem__(self, name: str) -> RetrievalProfile:
        module = import_module(f"octavo.retrieval.built_in_profiles.{self._modules[name]}")
        profile: RetrievalProfile = getattr(module, name.upper())
        return profile

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


PROFILES: Mapping[str, RetrievalProfile] = _BuiltIn(
    {
        "hybrid": "notes_and_documentation",
        "hybrid_rerank": "cross_encoder",
        "hybrid_rrf": "notes_and_documentation",
        "weighted": "notes_and_documentation",
        "lexical_only": "notes_and_documentation",
        "code": "code",
        "memory": "memory",
        "dense_only": "notes_and_documentation",
        "hyde_hybrid": "language_model",
        "llm_rerank": "language_model",
        "llm_expand": "language_model",
        "dense_cross_rerank": "language_model",
        "multi_hop": "multi_hop",
        "multi_vector": "multi_level_recall",
        "ragdocs": "ragdocs",
    }
)

DEFAULT_PROFILE = "hybrid"
MEMORY_PROFILE = "memory"
BY_WORDS_ALONE = frozenset({"lexical_only"})
"""The built-in profiles without a channel for meaning, known before any of their stages is."""


def profile_named(name: str, own: Mapping[str, RetrievalProfile] | None = None) -> RetrievalProfile:
    """A built-in profile, or one of somebody's own."""
    own = own or {}
    if name in PROFILES:
        return PROFILES[name]
    if name in own:
        return own[name]
    known = ", ".join(sorted({*PROFILES, *own}))
    raise InvalidArgument(f"there is no profile {name}", hint=f"choose one of: {known}")


def reranked(profile: RetrievalProfile, *, by_model: bool = False) -> RetrievalProfile:
    """The profile with its best chunks read again by the reranker, or by a language model."""
    return _changed("language_model", "judged", profile) if by_model else _changed("cross_encoder", "reranked", profile)


def hypothesised(profile: RetrievalProfile) -> RetrievalProfile:
    """The profile with hypotheses of a language model in place of the question's meaning."""
    return _changed("language_model", "hypothesised", profile)


def _changed(module: str, change: str, profile: RetrievalProfile) -> RetrievalProfile:
    changed: RetrievalProfile = getattr(import_module(f"octavo.retrieval.built_in_profiles.{module}"), change)(profile)
    return changed
