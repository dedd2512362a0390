"""Which embedding profile answers for a project, and how another takes over without a gap."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recto.errors import InvalidArgument, NotFound

if TYPE_CHECKING:
    from recto.model.ids import ProjectId
    from recto.model.profile import NamedProfile
    from recto.model.recipe import Recipe
    from recto.observability.progress import Progress
    from recto.ports import Embedder, Store

CONFIGURED = "configured"
"""What the configuration's own embedder is called among a project's profiles."""


def active_profile(store: Store, project: ProjectId) -> NamedProfile | None:
    """The profile that answers; None when that is the configuration's embedder."""
    named = store.profiles.named(project)
    if not named:
        return None  # as in most libraries: they need not learn what a profile is
    from recto.model.profile import ProfileState

    return next((one for one in named if one.state is ProfileState.ACTIVE), None)


def profile_named(store: Store, project: ProjectId, name: str) -> NamedProfile:
    for one in store.profiles.named(project):
        if one.name == name:
            return one
    raise NotFound(f"there is no embedding profile {name}", hint="`recto profiles list` shows them")


def fill(
    store: Store,
    project: ProjectId,
    embedder: Embedder,
    progress: Progress | None = None,
    *,
    newest: int | None = None,
) -> int:
    """Gives every chunk its vectors under a profile that does not answer yet; how many inputs there were."""
    from recto.ingest.embed import embed_pending
    from recto.observability.progress import NoProgress

    return embed_pending(store, project, embedder, progress or NoProgress(), newest=newest)


def missing(store: Store, project: ProjectId, embedder: Embedder) -> int:
    """Chunks that have no vector yet under a profile."""
    done, total = store.embeddings.coverage(project, embedder.profile)
    return total - done


def switch(store: Store, profile: NamedProfile, embedder: Embedder, recipe: Recipe) -> bool:
    """Lets a profile answer if it has every vector; whether it does now. What came in meanwhile is filled first."""
    from recto.model.profile import ProfileState

    with store.transaction():
        if missing(store, profile.project_id, embedder):
            return False
        store.profiles.put(replace(profile, state=ProfileState.ACTIVE))
        store.catalog.record_recipe(profile.project_id, replace(recipe, embedding=embedder.profile))
    return True


def checked_name(name: str) -> str:
    if not name.strip() or name == CONFIGURED or any(character in name for character in "/\\\0\n"):
        raise InvalidArgument(f"{name!r} cannot name a profile", hint=f"use letters, digits, - and _; not {CONFIGURED}")
    return name.strip()
