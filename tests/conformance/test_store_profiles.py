"""What every store promises of embedding profiles and of the places projects are known by."""

from __future__ import annotations

from dataclasses import replace

import pytest
from set_clock import SetClock

from octavo.errors import NotFound
from octavo.model.embedding_profile import (
    EmbeddingProfileSettings,
    EmbeddingProfileState,
    NamedEmbeddingProfile,
)
from octavo.model.ids import project_id
from octavo.model.projects_and_collections import PlaceKind
from octavo.sql_repositories.store import Store

MINE, THEIRS = project_id("mine"), project_id("theirs")
SETTINGS = EmbeddingProfileSettings("ollama", "a-model", 8, url="http://127.0.0.1:1", options={"late_chunking": True})


@pytest.fixture(autouse=True)
def projects(store: Store) -> None:
    with store.transaction():
        store.catalog.ensure_project("mine")
        store.catalog.ensure_project("theirs")


def put(
    store: Store, name: str, state: EmbeddingProfileState = EmbeddingProfileState.IDLE, project: str = MINE
) -> NamedEmbeddingProfile:
    profile = NamedEmbeddingProfile(project_id("mine") if project == MINE else THEIRS, name, SETTINGS, state)
    with store.transaction():
        store.profiles.put(profile)
    return profile


def states(store: Store) -> dict[str, str]:
    return {one.name: one.state.value for one in store.profiles.named(MINE)}


def test_a_profile_comes_back_as_it_was_put(store: Store, clock: SetClock) -> None:
    profile = put(store, "b")
    first = put(store, "a")
    assert store.profiles.named(MINE) == (
        replace(first, updated_at=clock.now),
        replace(profile, updated_at=clock.now),
    )
    assert store.profiles.named(THEIRS) == ()
    with store.transaction():
        store.profiles.remove(MINE, "a")
    assert list(states(store)) == ["b"]


def test_one_profile_of_a_project_is_active_at_most(store: Store) -> None:
    put(store, "a", EmbeddingProfileState.ACTIVE)
    put(store, "c", EmbeddingProfileState.FILLING)
    put(store, "theirs", EmbeddingProfileState.ACTIVE, THEIRS)
    put(store, "b", EmbeddingProfileState.ACTIVE)
    assert states(store) == {"a": "idle", "b": "active", "c": "filling"}
    put(store, "b", EmbeddingProfileState.ACTIVE)
    assert states(store)["b"] == "active"
    with store.transaction():
        store.profiles.retire(MINE)
    assert states(store) == {"a": "idle", "b": "idle", "c": "filling"}
    assert store.profiles.named(THEIRS)[0].state is EmbeddingProfileState.ACTIVE


def test_projects_are_known_by_places_the_longest_known_first(store: Store, clock: SetClock) -> None:
    with store.transaction():
        store.catalog.put_place(THEIRS, PlaceKind.FOLDER, "/a")
    clock.now += 1.0
    with store.transaction():
        store.catalog.put_place(MINE, PlaceKind.FOLDER, "/a")
        store.catalog.put_place(MINE, PlaceKind.FOLDER, "/a")
        store.catalog.put_place(MINE, PlaceKind.REPOSITORY, "example.org/a")
    assert [(project.name, place) for project, place in store.catalog.places(PlaceKind.FOLDER)] == [
        ("theirs", "/a"),
        ("mine", "/a"),
    ]
    assert [place for _, place in store.catalog.places(PlaceKind.REPOSITORY)] == ["example.org/a"]


def test_a_project_has_one_reranker_of_its_own_or_none(store: Store) -> None:
    assert store.catalog.reranker(MINE) is None
    for name in ("first", "second"):
        with store.transaction():
            store.catalog.choose_reranker(MINE, name)
    assert store.catalog.reranker(MINE) == "second"
    assert store.catalog.reranker(THEIRS) is None
    with store.transaction():
        store.catalog.choose_reranker(MINE, None)
    assert store.catalog.reranker(MINE) is None


def test_nothing_is_kept_for_a_project_that_is_not_there(store: Store) -> None:
    with pytest.raises(NotFound), store.transaction():
        store.profiles.put(NamedEmbeddingProfile(project_id("nobody"), "a", SETTINGS))
    with pytest.raises(NotFound):
        store.profiles.named(project_id("nobody"))
