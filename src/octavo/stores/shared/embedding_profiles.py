"""Embedding profiles by name, at most one of them active in a project."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from octavo.model.embedding_profile import EmbeddingProfileSettings, EmbeddingProfileState, NamedEmbeddingProfile

if TYPE_CHECKING:
    from octavo.model.ids import ProjectId
    from octavo.stores.shared.clock import Clock
    from octavo.stores.shared.database import Database
    from octavo.stores.shared.projects import KeyCache


class EmbeddingProfileRepository:
    """Fits `ports.EmbeddingProfiles`."""

    def __init__(self, database: Database, keys: KeyCache, clock: Clock) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock

    def put(self, profile: NamedEmbeddingProfile) -> None:
        where = {"project": self._keys.project(profile.project_id), "now": self._clock()}
        if profile.state is EmbeddingProfileState.ACTIVE:
            self._database.run("named_profiles_retire", where | {"name": profile.name})
        body = json.dumps(asdict(profile.settings), sort_keys=True, ensure_ascii=False)
        values = {"name": profile.name, "settings": body, "state": profile.state.value}
        self._database.run("named_profile_put", where | values)

    def retire(self, project: ProjectId) -> None:
        where = {"project": self._keys.project(project), "name": "", "now": self._clock()}
        self._database.run("named_profiles_retire", where)

    def named(self, project: ProjectId) -> tuple[NamedEmbeddingProfile, ...]:
        rows = self._database.rows("named_profiles", {"project": self._keys.project(project)})
        if not rows:
            return ()
        return tuple(
            NamedEmbeddingProfile(
                project,
                name,
                EmbeddingProfileSettings(**json.loads(settings)),
                EmbeddingProfileState(state),
                updated_at,
            )
            for name, settings, state, updated_at in rows
        )

    def remove(self, project: ProjectId, name: str) -> None:
        self._database.run("named_profile_remove", {"project": self._keys.project(project), "name": name})
