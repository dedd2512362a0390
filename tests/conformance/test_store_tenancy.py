"""Nothing crosses from one project into another, by any method that reads."""

from __future__ import annotations

import samples

from octavo.model.indexing_ledger import FileOutcome
from octavo.model.prepared_document import PreparedDocument
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Filters, Terms
from octavo.sql_repositories.store import Store

PROFILE = samples.embedding_profile()
MINE, THEIRS = samples.collection(project="mine"), samples.collection(project="theirs")


def sample(within: Collection, word: str) -> PreparedDocument:
    return samples.prepared(within, "same.md", "# Same", f"shared words {word}", tags=("tag",))


def fill(store: Store) -> None:
    """Two projects with the same collection name and uri, one word apart; only the other one is embedded."""
    for name, word in (("mine", "alpha"), ("theirs", "beta")):
        within = samples.ensure(store, "notes", name)
        with store.transaction():
            samples.put(store, within, sample(within, word))
            outcome = FileOutcome.INDEXED if name == "mine" else FileOutcome.FAILED
            store.ledger.record(within.project_id, within.id, [samples.ledger_entry("same.md", outcome, reason=name)])
    with store.transaction():
        store.catalog.record_recipe(THEIRS.project_id, samples.recipe())
        rows = [samples.vector_row(key, PROFILE) for key in store.embeddings.pending(THEIRS.project_id, PROFILE)]
        store.embeddings.put(THEIRS.project_id, PROFILE, rows)


def test_two_projects_with_the_same_uris_have_different_documents(store: Store) -> None:
    fill(store)
    mine, theirs = sample(MINE, "alpha").document, sample(THEIRS, "beta").document
    assert [one.id for one in store.documents.find(MINE.project_id, "same.md")] == [mine.id]
    assert store.documents.find(MINE.project_id, "same.md", THEIRS.id) == ()
    assert store.documents.get(MINE.project_id, theirs.id) is None
    assert store.documents.sections(MINE.project_id, theirs.id) == ()
    assert store.documents.versions(MINE.project_id, theirs.id) == ()
    assert len(store.documents.versions(THEIRS.project_id, theirs.id)) == 1


def test_a_text_is_not_given_to_a_project_that_does_not_hold_it(store: Store) -> None:
    fill(store)
    theirs = sample(THEIRS, "beta").document
    assert store.documents.texts(MINE.project_id, [theirs.content_hash]) == {}
    assert store.documents.texts(THEIRS.project_id, [theirs.content_hash]) == {theirs.content_hash: theirs.text}


def test_a_text_both_projects_hold_outlives_its_removal_in_one(store: Store) -> None:
    for name in ("mine", "theirs"):
        within = samples.ensure(store, "notes", name)
        with store.transaction():
            samples.put(store, within, sample(within, "same"))
    with store.transaction():
        store.catalog.remove_collection(MINE.project_id, MINE.id)
    theirs = sample(THEIRS, "same").document
    assert store.documents.texts(THEIRS.project_id, [theirs.content_hash]) == {theirs.content_hash: theirs.text}
    assert len(store.documents.admitted(THEIRS.project_id, Filters())) == 2


def test_chunks_are_listed_and_looked_up_within_the_project_only(store: Store) -> None:
    fill(store)
    mine = store.documents.admitted(MINE.project_id, Filters())
    theirs = store.documents.admitted(THEIRS.project_id, Filters())
    assert len(mine) == len(theirs) == 2
    assert set(mine).isdisjoint(theirs)
    assert store.documents.candidates(MINE.project_id, theirs) == {}
    assert set(store.documents.candidates(MINE.project_id, [*mine, *theirs])) == set(mine)
    for indexed in sample(THEIRS, "beta").chunks:
        assert store.documents.chunk_key(MINE.project_id, indexed.chunk.id) is None
    for filters in (Filters(collections=("notes",)), Filters(uris=("same.md",)), Filters(tags_all=("tag",))):
        assert list(store.documents.admitted(MINE.project_id, filters)) == list(mine)


def test_searches_find_the_projects_own_chunks_only(store: Store) -> None:
    fill(store)
    mine = store.documents.admitted(MINE.project_id, Filters())
    for filters in (Filters(), Filters(uris=("same.md",)), Filters(heading_contains="same")):
        hits = store.lexical.search(MINE.project_id, samples.terms("shared same beta"), filters, 10)
        assert {hit.key for hit in hits} == set(mine)
        assert store.lexical.search(MINE.project_id, samples.terms("beta"), filters, 10) == ()
        assert store.lexical.search(MINE.project_id, Terms("", prefixes=("bet",)), filters, 10) == ()
    assert list(store.lexical.containing(MINE.project_id, ["shared", "words"])) == [mine[1]]
    assert list(store.lexical.containing(MINE.project_id, ["beta"])) == []


def test_a_limit_counts_only_the_projects_own_hits(store: Store) -> None:
    theirs = samples.ensure(store, "notes", "theirs")
    mine = samples.ensure(store, "notes", "mine")
    with store.transaction():
        for number in range(10):
            samples.put(store, theirs, samples.prepared(theirs, f"{number}.md", "word word word"))
        (key,) = samples.put(store, mine, samples.prepared(mine, "a.md", "word " + "filler " * 30))
    assert [hit.key for hit in store.lexical.search(mine.project_id, samples.terms("word"), Filters(), 1)] == [key]


def test_embeddings_are_the_projects_own(store: Store) -> None:
    fill(store)
    mine, theirs = MINE.project_id, THEIRS.project_id
    assert len(store.embeddings.pending(mine, PROFILE)) == 2
    assert store.embeddings.pending(theirs, PROFILE) == ()
    assert store.embeddings.coverage(mine, PROFILE) == (0, 2)
    assert store.embeddings.coverage(theirs, PROFILE) == (2, 2)
    assert store.embeddings.vectors(mine, PROFILE, 0).keys.tolist() == []
    pairs = store.embeddings.assignments(mine)
    assert pairs[:, 0].tolist() == list(store.documents.admitted(mine, Filters()))
    inputs_of_theirs = store.embeddings.assignments(theirs)[:, 1].tolist()
    assert set(pairs[:, 1].tolist()).isdisjoint(inputs_of_theirs)
    assert store.embeddings.describe(mine, inputs_of_theirs) == ()


def test_ledger_recipe_collections_and_counts_are_the_projects_own(store: Store) -> None:
    fill(store)
    mine, theirs = MINE.project_id, THEIRS.project_id
    assert [entry.reason for entry in store.ledger.entries(mine, MINE.id).values()] == ["mine"]
    assert [entry.reason for entry in store.ledger.entries(theirs, THEIRS.id).values()] == ["theirs"]
    assert store.catalog.recipe(mine) is None
    assert store.catalog.recipe(theirs) == samples.recipe()
    assert store.catalog.collections(mine) == (MINE,)
    counts = store.counts(mine)
    assert (counts.documents, counts.chunks, counts.sections) == (1, 2, 2)
    assert (counts.indexed, counts.skipped, counts.failed) == (1, 0, 0)
    assert counts.text_bytes == len(sample(MINE, "alpha").document.text)


def test_what_one_project_removes_the_other_keeps(store: Store) -> None:
    fill(store)
    before = store.counts(THEIRS.project_id)
    with store.transaction():
        store.documents.remove(MINE.project_id, sample(THEIRS, "beta").document.id)
        store.documents.remove(MINE.project_id, sample(MINE, "alpha").document.id)
        store.ledger.forget(MINE.project_id, MINE.id, ["same.md"])
    assert store.counts(THEIRS.project_id) == before
    assert len(store.lexical.containing(THEIRS.project_id, ["shared"])) == 1
    assert store.counts(MINE.project_id).documents == 0
