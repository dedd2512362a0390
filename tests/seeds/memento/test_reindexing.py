"""Memento's admin tools: vectors computed again by force, and only what is current cut again."""

from __future__ import annotations

from pathlib import Path

from octavo.engine.wiring import open_library
from octavo.operations.embedding_profiles.list_set_fill_and_activate import profiles_reindex
from octavo.operations.embedding_profiles.requests import ProfilesReindexRequest


def test_g_a_profile_is_computed_again_by_force(library: Path) -> None:
    with open_library(library) as engine:
        name = engine.configured_embedder().profile

        def pending() -> int:
            return len(engine.store.embeddings.pending(engine.project.id, name))

        profiles_reindex(engine, ProfilesReindexRequest("configured"))
        assert pending() == 0  # nothing was missing
        profiles_reindex(engine, ProfilesReindexRequest("configured", force=True))
        assert pending() > 0
        engine.index(wait_full=True)
        assert pending() == 0
