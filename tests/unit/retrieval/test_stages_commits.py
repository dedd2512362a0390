"""Commits do not crowd out files, and are all there when they are asked for or when there is nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
import samples
from search_vectors import Meaning

from octavo.model.document import Kind
from octavo.model.indexed_commit import HistoryEntry
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Filters, Query
from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stages.git_commit_caps import CapCommits
from octavo.retrieval.stages.lexical_and_dense_recall import LexicalRecall
from octavo.stores.sqlite.store import SqliteStore

FILES, COMMITS = 6, 40


@pytest.fixture
def store() -> SqliteStore:
    return SqliteStore.in_memory()


@pytest.fixture
def library(store: SqliteStore) -> SearchedLibrary:
    notes = samples.ensure(store)
    with store.transaction():
        for number in range(COMMITS):
            commit(store, notes, number)
        for number in range(FILES):
            text = f"dome number {number} and a good deal more that is not about it"
            samples.put(store, notes, samples.prepared(notes, f"file{number}.md", text))

    def unused() -> object:
        raise AssertionError("words alone are enough")

    return SearchedLibrary(store, notes.project_id, Meaning(unused, unused), lambda: 0.0)  # type: ignore[arg-type]


def commit(store: SqliteStore, notes: Collection, number: int) -> None:
    hash_ = f"{number:040x}"
    uri = f".git/commits/{hash_}"
    sample = samples.prepared(notes, uri, "dome", title="dome", kind=Kind.COMMIT)
    samples.put(store, notes, sample)
    store.history.put(
        notes.project_id, notes.id, [HistoryEntry("", hash_, sample.document.id, "Ann", float(number), "made")]
    )


def kinds(library: SearchedLibrary, query: Query, depth: int = 20) -> list[Kind]:
    profile = replace(PROFILES["lexical_only"], recall=(LexicalRecall(depth=depth),))
    candidates, trace = run(profile, query, library)
    assert [entry.failed for entry in trace] == [None] * len(trace)
    return [candidate.kind for candidate in candidates[: query.limit]]


def query(text: str = "dome", limit: int = 5, **filters: object) -> Query:
    return Query(text, limit, Filters(**filters), samples.terms(text))  # type: ignore[arg-type]


def test_files_are_found_though_commits_match_better(library: SearchedLibrary) -> None:
    assert sorted(kinds(library, query())) == [Kind.COMMIT] + [Kind.NOTE] * 4


def test_commits_fill_the_places_that_files_leave(library: SearchedLibrary) -> None:
    found = kinds(library, query(limit=20))
    assert (found.count(Kind.NOTE), found.count(Kind.COMMIT)) == (FILES, 20 - FILES)


def test_commits_that_are_asked_for_are_all_there(library: SearchedLibrary) -> None:
    assert kinds(library, query(kinds=(Kind.COMMIT,))) == [Kind.COMMIT] * 5
    assert kinds(library, query(kinds=(Kind.NOTE,))) == [Kind.NOTE] * 5


def test_a_library_without_commits_is_asked_once(store: SqliteStore, library: SearchedLibrary) -> None:
    for one in list(store.history.find(library.project, "")):
        with store.transaction():
            store.documents.remove(library.project, one.document_id)
    _, trace = run(PROFILES["lexical_only"], query(), library)
    assert all("files_beside_commits" not in entry.detail for entry in trace)


def test_the_share_of_commits_is_rounded(library: SearchedLibrary) -> None:
    half = replace(PROFILES["lexical_only"], refine=(CapCommits(share=0.5),))
    candidates, _ = run(half, query(limit=4), library)
    assert [candidate.kind for candidate in candidates[:4]].count(Kind.COMMIT) == 2
