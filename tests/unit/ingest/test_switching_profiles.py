"""A profile that was changed while it was filled is not put back as it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from engines import engine_over, wired
from set_clock import SetClock

from octavo.engine.engine import Engine
from octavo.errors import Conflict, NotFound
from octavo.ingest.embedding_profile_switch import profile_named, switch
from octavo.model.embedding_profile import (
    EmbeddingProfileSettings,
    EmbeddingProfileState,
    NamedEmbeddingProfile,
)
from octavo.operations.embedding_profiles.list_set_fill_and_activate import profiles_reindex
from octavo.operations.embedding_profiles.requests import ProfilesReindexRequest
from octavo.stores.sqlite.store import SqliteStore


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    clock = SetClock()
    return engine_over(SqliteStore.in_memory(clock), wired(tmp_path), clock)


def filled(engine: Engine) -> NamedEmbeddingProfile:
    settings = EmbeddingProfileSettings(provider="hashing")
    profile = NamedEmbeddingProfile(engine.project.id, "second", settings, EmbeddingProfileState.FILLING)
    with engine.store.transaction():
        engine.store.profiles.put(profile)
    return profile


def test_a_profile_that_was_changed_meanwhile_is_not_put_back_as_it_was(engine: Engine) -> None:
    profile = filled(engine)
    changed = replace(profile, settings=replace(profile.settings, dimensions=128))
    with engine.store.transaction():
        engine.store.profiles.put(changed)
    assert not switch(engine.store, profile, engine.embedder, engine.recipe())
    assert profile_named(engine.store, engine.project.id, "second").settings == changed.settings


def test_a_profile_that_was_removed_meanwhile_does_not_come_back(engine: Engine) -> None:
    profile = filled(engine)
    with engine.store.transaction():
        engine.store.profiles.remove(engine.project.id, "second")
    with pytest.raises(NotFound):
        switch(engine.store, profile, engine.embedder, engine.recipe())
    assert engine.store.profiles.named(engine.project.id) == ()


def test_a_profile_that_answers_meanwhile_is_not_set_to_be_filled(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = replace(filled(engine), state=EmbeddingProfileState.IDLE)
    with engine.store.transaction():
        engine.store.profiles.put(profile)

    def opened(self: Engine, _: NamedEmbeddingProfile) -> object:
        with self.store.transaction():
            self.store.profiles.put(replace(profile, state=EmbeddingProfileState.ACTIVE))
        return self.embedder

    monkeypatch.setattr(Engine, "profile_embedder", opened)
    with pytest.raises(Conflict):
        profiles_reindex(engine, ProfilesReindexRequest("second"))
    assert profile_named(engine.store, engine.project.id, "second").state is EmbeddingProfileState.ACTIVE


def test_a_profile_that_is_as_it_was_answers(engine: Engine) -> None:
    assert switch(engine.store, filled(engine), engine.embedder, engine.recipe())
    assert profile_named(engine.store, engine.project.id, "second").state is EmbeddingProfileState.ACTIVE
