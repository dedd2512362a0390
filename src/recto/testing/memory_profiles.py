"""Embedding profiles by name, in memory."""

from __future__ import annotations

import json
from dataclasses import replace

from recto.model.ids import ProjectId
from recto.model.profile import NamedProfile, ProfileState
from recto.stores.shared.clock import Clock
from recto.testing.memory_tables import Session, known_project


class MemoryProfiles:
    """Fits `ports.Profiles`."""

    def __init__(self, session: Session, clock: Clock) -> None:
        self._session = session
        self._clock = clock

    def put(self, profile: NamedProfile) -> None:
        tables = self._session.write()
        project = known_project(tables, profile.project_id)
        if profile.state is ProfileState.ACTIVE:
            self._retire(project, profile.name)
        options = json.loads(json.dumps(profile.settings.options))
        settings = replace(profile.settings, options=options)
        tables.named_profiles[project, profile.name] = replace(profile, settings=settings, updated_at=self._clock())

    def retire(self, project: ProjectId) -> None:
        self._retire(known_project(self._session.write(), project), "")

    def named(self, project: ProjectId) -> tuple[NamedProfile, ...]:
        tables = self._session.read()
        known_project(tables, project)
        mine = (profile for (owner, _), profile in tables.named_profiles.items() if owner == project)
        return tuple(sorted(mine, key=lambda profile: profile.name))

    def remove(self, project: ProjectId, name: str) -> None:
        tables = self._session.write()
        tables.named_profiles.pop((known_project(tables, project), name), None)

    def _retire(self, project: ProjectId, but: str) -> None:
        tables = self._session.write()
        for (owner, name), held in list(tables.named_profiles.items()):
            if owner == project and name != but and held.state is ProfileState.ACTIVE:
                now = self._clock()
                tables.named_profiles[owner, name] = replace(held, state=ProfileState.IDLE, updated_at=now)
