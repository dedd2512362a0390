"""Projects, collections and recipes, whatever the store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import samples

from octavo.errors import NotFound
from octavo.model.document import Kind
from octavo.model.ids import CollectionId, DocumentId, ProjectId, collection_id, project_id
from octavo.model.projects_and_collections import Collection, CollectionSettings, Project
from octavo.model.query import Filters
from octavo.sql_repositories.store import Store

NOWHERE = ProjectId("prj_nowhere")
UNKNOWN = CollectionId("col_unknown")


def test_a_new_library_holds_no_project_and_nothing_is_wrong_with_it(store: Store) -> None:
    assert store.catalog.projects() == ()
    assert store.generation() == 0
    assert store.check() == ()


def test_a_project_asked_for_twice_is_one_project(store: Store) -> None:
    with store.transaction():
        first = store.catalog.ensure_project("alpha")
    with store.transaction():
        second = store.catalog.ensure_project("alpha")
    assert first == second == Project(project_id("alpha"), "alpha")
    assert store.catalog.projects() == (first,)


def test_projects_are_listed_by_name(store: Store) -> None:
    with store.transaction():
        for name in ("beta", "gamma", "alpha"):
            store.catalog.ensure_project(name)
    assert [project.name for project in store.catalog.projects()] == ["alpha", "beta", "gamma"]


def test_a_collection_comes_back_with_every_setting(store: Store) -> None:
    settings = CollectionSettings(
        include=("**/*.md", 'say "hi"/*'),
        ignore=("drafts/",),
        tags=("work", "ärger"),
        kind=Kind.DOC,
        max_file_bytes=1_000_000,
        max_heading_depth=3,
        intelligent_heading_depth=True,
    )
    with store.transaction():
        project = store.catalog.ensure_project("alpha").id
        wanted = Collection(collection_id(project, "x"), project, "x", Path("/tmp/päth with 'quotes'\n"), settings)
        store.catalog.put_collection(wanted)
    assert store.catalog.collections(project) == (wanted,)


def test_collections_are_listed_by_name_and_unset_settings_stay_unset(store: Store) -> None:
    found = [samples.ensure(store, name) for name in ("b", "c", "a")]
    assert store.catalog.collections(found[0].project_id) == (found[2], found[0], found[1])
    assert found[0].settings == CollectionSettings()


def test_putting_a_collection_again_changes_its_root_and_settings_and_keeps_its_documents(store: Store) -> None:
    notes = samples.ensure(store)
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "kept"))
        moved = replace(notes, root=Path("/elsewhere"), settings=CollectionSettings(tags=("new",)))
        store.catalog.put_collection(moved)
    assert store.catalog.collections(notes.project_id) == (moved,)
    assert store.counts(notes.project_id).documents == 1


def test_removing_a_collection_takes_its_documents_chunks_and_ledger_along(store: Store) -> None:
    notes, other = samples.ensure(store), samples.ensure(store, "other")
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "# A", "gone word"))
        (kept,) = samples.put(store, other, samples.prepared(other, "a.md", "kept word"))
        store.ledger.record(notes.project_id, notes.id, [samples.ledger_entry("a.md")])
        store.ledger.record(other.project_id, other.id, [samples.ledger_entry("a.md")])
    with store.transaction():
        store.catalog.remove_collection(notes.project_id, notes.id)
    assert store.catalog.collections(notes.project_id) == (other,)
    assert store.documents.admitted(notes.project_id, Filters()) == [kept]
    assert store.lexical.containing(notes.project_id, ["word"]) == [kept]
    assert store.embeddings.assignments(notes.project_id)[:, 0].tolist() == [kept]
    assert list(store.ledger.entries(other.project_id, other.id)) == ["a.md"]
    with pytest.raises(NotFound):
        store.ledger.entries(notes.project_id, notes.id)
    assert store.check() == ()


def test_a_collection_that_comes_back_starts_with_an_empty_ledger_and_continues_its_versions(store: Store) -> None:
    notes = samples.ensure(store)
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "first"))
        store.ledger.record(notes.project_id, notes.id, [samples.ledger_entry("a.md")])
    with store.transaction():
        store.catalog.remove_collection(notes.project_id, notes.id)
    with store.transaction():
        store.catalog.put_collection(notes)
        assert store.ledger.entries(notes.project_id, notes.id) == {}
        sample = samples.prepared(notes, "a.md", "second")
        samples.put(store, notes, sample)
    assert [version.version for version in store.documents.versions(notes.project_id, sample.document.id)] == [1, 2]


def test_the_recipe_recorded_last_is_the_one_that_counts(store: Store) -> None:
    notes = samples.ensure(store)
    project = notes.project_id
    assert store.catalog.recipe(project) is None
    old, new = samples.recipe("sample-1"), samples.recipe("sample-2")
    for recorded in (old, new, old, old):
        with store.transaction():
            store.catalog.record_recipe(project, recorded)
        assert store.catalog.recipe(project) == recorded


def test_what_names_an_unknown_project_is_told_so(store: Store) -> None:
    with store.transaction():
        store.catalog.ensure_project("alpha")
    profile = samples.embedding_profile()
    elsewhere = samples.collection(project="nowhere")
    sample = samples.prepared(elsewhere, "a.md", "a")
    reads = (
        lambda: store.catalog.collections(NOWHERE),
        lambda: store.catalog.recipe(NOWHERE),
        lambda: store.documents.get(NOWHERE, DocumentId("doc_x")),
        lambda: store.documents.find(NOWHERE, "a.md"),
        lambda: store.documents.sections(NOWHERE, DocumentId("doc_x")),
        lambda: store.documents.versions(NOWHERE, DocumentId("doc_x")),
        lambda: store.documents.texts(NOWHERE, []),
        lambda: store.documents.candidates(NOWHERE, []),
        lambda: store.documents.admitted(NOWHERE, Filters()),
        lambda: store.lexical.search(NOWHERE, samples.terms("a"), Filters(), 10),
        lambda: store.lexical.containing(NOWHERE, ["a"]),
        lambda: store.embeddings.pending(NOWHERE, profile),
        lambda: store.embeddings.describe(NOWHERE, []),
        lambda: store.embeddings.coverage(NOWHERE, profile),
        lambda: store.embeddings.assignments(NOWHERE),
        lambda: store.embeddings.vectors(NOWHERE, profile, 0),
        lambda: store.ledger.entries(NOWHERE, UNKNOWN),
        lambda: store.counts(NOWHERE),
    )
    writes = (
        lambda: store.catalog.put_collection(elsewhere),
        lambda: store.catalog.remove_collection(NOWHERE, UNKNOWN),
        lambda: store.catalog.record_recipe(NOWHERE, samples.recipe()),
        lambda: store.documents.put(NOWHERE, UNKNOWN, sample),
        lambda: store.documents.move(NOWHERE, UNKNOWN, "b.md", sample),
        lambda: store.documents.remove(NOWHERE, DocumentId("doc_x")),
        lambda: store.lexical.put(NOWHERE, []),
        lambda: store.embeddings.expect(NOWHERE, []),
        lambda: store.embeddings.put(NOWHERE, profile, []),
        lambda: store.ledger.record(NOWHERE, UNKNOWN, []),
        lambda: store.ledger.forget(NOWHERE, UNKNOWN, []),
    )
    for call in reads:
        with pytest.raises(NotFound, match="no project"):
            call()
    with store.transaction():
        for call in writes:
            with pytest.raises(NotFound, match="no project"):
                call()


def test_what_names_an_unknown_collection_is_told_so(store: Store) -> None:
    notes = samples.ensure(store)
    project, sample = notes.project_id, samples.prepared(notes, "a.md", "a")
    with pytest.raises(NotFound, match="no collection"):
        store.ledger.entries(project, UNKNOWN)
    with store.transaction():
        for call in (
            lambda: store.catalog.remove_collection(project, UNKNOWN),
            lambda: store.documents.put(project, UNKNOWN, sample),
            lambda: store.documents.move(project, UNKNOWN, "b.md", sample),
            lambda: store.ledger.record(project, UNKNOWN, []),
            lambda: store.ledger.forget(project, UNKNOWN, []),
        ):
            with pytest.raises(NotFound, match="no collection"):
                call()
