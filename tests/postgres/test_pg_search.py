"""What pg_search is called on a server, from catalogues as they were seen, and from one that does not have it."""

from __future__ import annotations

import pytest

from recto.stores.postgres.pg_search import Capability, Catalogue, capability, detected
from recto.stores.postgres.store import PostgresStore

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


def test_a_server_without_it_says_so(store: PostgresStore) -> None:
    assert detected(store.database) == Capability(reason="the server does not have pg_search")
