"""Which embedding profile answers for a project, and how another takes over without a gap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo.errors import InvalidArgument, NotFound
from octavo.fast_dataclass import replace
from octavo.model.embedding_profile import EmbeddingProfileState, NamedEmbeddingProfile
from octavo.model.ids import ProjectId

if TYPE_CHECKING:
    from octavo.model.index_recipe import Recipe
    from octavo.ports import Embedder
    from octavo.sql_repositories.store import Store

CONFIGURED = "configured"
"""What the configuration's own embedder is called among a project's profiles."""


def active_profile(store: Store, project: ProjectId) -> NamedEmbeddingProfile | None:
    """The profile that answers; None when that is the configuration's embedder."""
    named = store.profiles.named(project)
    if not named:
        return None
    return next((profile for profile in named if profile.state is EmbeddingProfileState.ACTIVE), None)


def profile_named(store: Store, project: ProjectId, name: str) -> NamedEmbeddingProfile:
    for profile in store.profiles.named(project):
        if profile.name == name:
            return profile
    raise NotFound(f"there is no embedding profile {name}", hint="`octavo profiles list` shows them")


def missing(store: Store, project: ProjectId, embedder: Embedder) -> int:
    """Chunks that have no vector yet under a profile."""
    done, total = store.embeddings.coverage(project, embedder.profile)
    return total - done


def switch(store: Store, profile: NamedEmbeddingProfile, embedder: Embedder, recipe: Recipe) -> bool:
    """Lets a profile answer if it has every vector; whether it does now. What came in meanwhile is filled first."""
    with store.transaction():
        # Read again: while it was filled, somebody may have changed or removed it.
        current = profile_named(store, profile.project_id, profile.name)
        if current.settings != profile.settings or missing(store, profile.project_id, embedder):
            return False
        store.profiles.put(replace(current, state=EmbeddingProfileState.ACTIVE))
        store.catalog.record_recipe(profile.project_id, replace(recipe, embedding=embedder.profile))
    return True


def switch_back(store: Store, project: ProjectId, embedder: Embedder, recipe: Recipe) -> bool:
    """Lets the configuration's embedder answer if it has every vector; whether it does now."""
    with store.transaction():
        if missing(store, project, embedder):
            return False
        store.profiles.retire(project)
        store.catalog.record_recipe(project, replace(recipe, embedding=embedder.profile))
    return True


def checked_name(name: str) -> str:
    if not name.strip() or name == CONFIGURED or any(character in name for character in "/\\\0\n"):
        raise InvalidArgument(f"{name!r} cannot name a profile", hint=f"use letters, digits, - and _; not {CONFIGURED}")
    return name.strip()
