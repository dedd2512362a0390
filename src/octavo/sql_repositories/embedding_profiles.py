"""Embedding profiles by name, at most one of them active in a project."""

from __future__ import annotations

import json
from dataclasses import asdict

from octavo.model.embedding_profile import (
    EmbeddingProfileSettings,
    EmbeddingProfileState,
    NamedEmbeddingProfile,
)
from octavo.model.ids import ProjectId
from octavo.sql_repositories.projects_and_collections import ProjectRepository


class EmbeddingProfileRepository(ProjectRepository):
    """Embedding profiles by name. Activating one makes the previously active one idle."""

    def put(self, profile: NamedEmbeddingProfile) -> None:
        where = self._in(profile.project_id, now=self._clock())
        if profile.state is EmbeddingProfileState.ACTIVE:
            self._database.run("named_profiles_retire", where | {"name": profile.name})
        body = json.dumps(asdict(profile.settings), sort_keys=True, ensure_ascii=False)
        values = {"name": profile.name, "settings": body, "state": profile.state.value}
        self._database.run("named_profile_put", where | values)

    def retire(self, project: ProjectId) -> None:
        """No profile is active any more."""
        self._run("named_profiles_retire", project, name="", now=self._clock())

    def named(self, project: ProjectId) -> tuple[NamedEmbeddingProfile, ...]:
        rows = self._rows("named_profiles", project)
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
        self._run("named_profile_remove", project, name=name)
