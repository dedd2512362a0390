"""Embedding profiles by name, of which at most one is active in a project."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Whether there is a profile is asked at every start; what one is need be known only where there is.
    from recto.model.ids import ProjectId
    from recto.model.profile import NamedProfile
    from recto.stores.shared.clock import Clock
    from recto.stores.shared.database import Database
    from recto.stores.shared.projects import Keys


class ProfileRepository:
    """Fits `ports.Profiles`."""

    def __init__(self, database: Database, keys: Keys, clock: Clock) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock

    def put(self, profile: NamedProfile) -> None:
        from recto.model.profile import ProfileState

        where = {"project": self._keys.project(profile.project_id), "now": self._clock()}
        if profile.state is ProfileState.ACTIVE:
            self._database.run("named_profiles_retire", where | {"name": profile.name})
        body = json.dumps(asdict(profile.settings), sort_keys=True, ensure_ascii=False)
        about = {"name": profile.name, "settings": body, "state": profile.state.value}
        self._database.run("named_profile_put", where | about)

    def retire(self, project: ProjectId) -> None:
        where = {"project": self._keys.project(project), "name": "", "now": self._clock()}
        self._database.run("named_profiles_retire", where)

    def named(self, project: ProjectId) -> tuple[NamedProfile, ...]:
        rows = self._database.rows("named_profiles", {"project": self._keys.project(project)})
        if not rows:
            return ()
        from recto.model.profile import NamedProfile, ProfileSettings, ProfileState

        return tuple(
            NamedProfile(project, name, ProfileSettings(**json.loads(settings)), ProfileState(state), updated_at)
            for name, settings, state, updated_at in rows
        )

    def remove(self, project: ProjectId, name: str) -> None:
        self._database.run("named_profile_remove", {"project": self._keys.project(project), "name": name})
