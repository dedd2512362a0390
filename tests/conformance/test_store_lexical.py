"""Words → chunks: what matches, in what order, and what never breaks the engine."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import samples
from lexical_oracle import BOOSTS

from octavo.model.ids import ChunkKey
from octavo.model.prepared_document import LEXICAL_FIELDS, LexicalField, LexicalRow
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Filters, Terms
from octavo.model.score_rounding import rounded
from octavo.sql_repositories.store import Store


def fill(store: Store, notes: Collection, *bodies: str) -> list[ChunkKey]:
    keys: list[ChunkKey] = []
    with store.transaction():
        for number, body in enumerate(bodies):
            keys += samples.put(store, notes, samples.prepared(notes, f"{number}.md", body, title=""))
    return keys


def found(store: Store, notes: Collection, terms: Terms, limit: int = 100) -> list[ChunkKey]:
    return [one.key for one in store.lexical.search(notes.project_id, terms, Filters(), limit)]


def test_any_word_finds_and_more_of_them_find_better(store: Store, notes: Collection) -> None:
    a, b, c, *_ = fill(store, notes, "red green", "red blue", "red green blue", "none", "none", "none", "none")
    assert found(store, notes, Terms("", words=("green", "blue"))) == [c, a, b]


def test_every_phrase_must_be_there_and_words_only_help(store: Store, notes: Collection) -> None:
    a, b, _, d, *_ = fill(
        store, notes, "red green blue", "green red x blue red green", "green red", "red green", "x", "x", "x", "x"
    )
    assert sorted(found(store, notes, Terms("", phrases=(("red", "green"),)))) == [a, b, d]
    assert found(store, notes, Terms("", words=("blue",), phrases=(("red", "green"),)))[-1] == d
    assert found(store, notes, Terms("", phrases=(("red", "green"), ("x", "blue")))) == [b]


def test_a_phrase_does_not_run_from_one_field_into_the_next(store: Store, notes: Collection) -> None:
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "green blue", title="red"))
    assert found(store, notes, Terms("", phrases=(("red", "green"),))) == []
    assert store.lexical.containing(notes.project_id, ["red", "green"]) == []


def test_a_prefix_finds_every_word_that_starts_with_it(store: Store, notes: Collection) -> None:
    a, b, c, _ = fill(store, notes, "record", "recital verso", "rec", "direct")
    assert sorted(found(store, notes, Terms("", prefixes=("rec",)))) == [a, b, c]
    assert found(store, notes, Terms("", prefixes=("reci",))) == [b]
    assert found(store, notes, Terms("", prefixes=("zzz",))) == []


def test_nothing_excluded_is_found(store: Store, notes: Collection) -> None:
    a, b, c = fill(store, notes, "red green", "red blue green", "red")
    assert sorted(found(store, notes, Terms("", words=("red",), excluded=(("blue",),)))) == [a, c]
    assert sorted(found(store, notes, Terms("", words=("red",), excluded=(("red", "green"),)))) == [b, c]
    assert found(store, notes, Terms("", words=("red",), excluded=(("green",), ("red",)))) == []
    assert found(store, notes, Terms("", excluded=(("green",),))) == []


def test_equal_scores_come_in_the_order_of_the_keys_and_the_limit_keeps_the_first(
    store: Store, notes: Collection
) -> None:
    keys = fill(store, notes, *["same words"] * 12)
    assert found(store, notes, Terms("", words=("same",))) == keys
    assert found(store, notes, Terms("", words=("same",)), limit=5) == keys[:5]
    assert found(store, notes, Terms("", words=("same",)), limit=0) == []


def test_the_score_is_bm25_with_the_boost_of_the_field(store: Store, notes: Collection) -> None:
    keys = fill(store, notes, *["filler"] * 9)
    empty = dict.fromkeys(LEXICAL_FIELDS, "")
    for field, boost in zip(LEXICAL_FIELDS, BOOSTS, strict=True):
        with store.transaction():
            store.lexical.put(notes.project_id, [(key, LexicalRow(**empty | {"body": "other"})) for key in keys])
            store.lexical.put(notes.project_id, [(keys[4], LexicalRow(**empty | {field: "word"}))])
        (hit,) = store.lexical.search(notes.project_id, Terms("", words=("word",)), Filters(), 10)
        # Nine rows of one token each: every length is the average, and one row in nine holds the word.
        assert hit.key == keys[4]
        assert hit.score == rounded(math.log(8.5 / 1.5) * boost * 2.2 / (boost + 1.2))


def test_a_word_in_most_chunks_scores_almost_nothing_but_not_less(store: Store, notes: Collection) -> None:
    fill(store, notes, "the a", "the b", "the c")
    scores = [one.score for one in store.lexical.search(notes.project_id, samples.terms("the"), Filters(), 10)]
    assert len(scores) == 3
    assert all(0 < score < 1e-5 for score in scores)


def test_putting_a_row_again_replaces_it(store: Store, notes: Collection) -> None:
    (key,) = fill(store, notes, "before")
    with store.transaction():
        row = LexicalRow("", "", "", "", "", "", "after")
        store.lexical.put(notes.project_id, [(key, row)])
    assert store.lexical.containing(notes.project_id, ["before"]) == []
    assert store.lexical.containing(notes.project_id, ["after"]) == [key]


def test_statistics_follow_what_is_there_now(store: Store, notes: Collection) -> None:
    fill(store, notes, "word and more of it", "word", "other", "other", "other")
    fresh = [one.score for one in store.lexical.search(notes.project_id, samples.terms("word"), Filters(), 10)]
    for _ in range(5):
        fill(store, notes, "word and more of it", "word", "other", "other", "other", "extra", "extra words")
        with store.transaction():
            for number in (5, 6):
                (extra,) = store.documents.find(notes.project_id, f"{number}.md")
                store.documents.remove(notes.project_id, extra.id)
    again = [one.score for one in store.lexical.search(notes.project_id, samples.terms("word"), Filters(), 10)]
    assert again == pytest.approx(fresh, abs=1e-9)


def test_containing_lists_every_chunk_with_the_tokens_side_by_side_in_order(store: Store, notes: Collection) -> None:
    a, b, c = fill(store, notes, "one two three", "two one", "zero one two")
    assert list(store.lexical.containing(notes.project_id, ["one", "two"])) == [a, c]
    assert list(store.lexical.containing(notes.project_id, ["one"])) == [a, b, c]
    assert list(store.lexical.containing(notes.project_id, ["one"], most=2)) == [a, b]
    assert list(store.lexical.containing(notes.project_id, ["three", "two"])) == []


HOSTILE = (
    '"', '""', "'", "*", "g*", "^green", "-green", "+", "a:b", "body:green", "NEAR(red green)", "AND", "OR", "NOT",
    "(", "}", "a\0b", "\0", "", " ", "\n", "\\", ";", "--", "/*", '" OR "green', "😀", "é", "日本", "\u2028", "_", "%",
    "a" * 5000,
)  # fmt: skip


@pytest.mark.parametrize("token", HOSTILE, ids=ascii)
def test_no_token_is_read_as_an_operator(store: Store, notes: Collection, token: str) -> None:
    red, _ = fill(store, notes, "red", "blue")
    assert found(store, notes, Terms("", words=(token,))) == []
    assert found(store, notes, Terms("", phrases=((token, "blue", "green"),))) == []
    assert found(store, notes, Terms("", words=("red", token))) == [red]
    assert found(store, notes, Terms("", words=("red",), excluded=((token,),))) == [red]
    assert found(store, notes, Terms("", words=("red",), prefixes=(token + "x",))) == [red]
    assert list(store.lexical.containing(notes.project_id, [token])) == []


def test_a_query_may_be_long(store: Store, notes: Collection) -> None:
    (key,) = fill(store, notes, "needle")
    words = tuple(f"w{number}" for number in range(3_000))
    assert found(store, notes, Terms("", words=(*words, "needle"))) == [key]
    assert found(store, notes, Terms("", words=("needle",), excluded=tuple((word,) for word in words))) == [key]
    assert found(store, notes, Terms("", phrases=(words,))) == []


def test_fields_confine_what_counts_but_not_what_is_excluded(store: Store, notes: Collection) -> None:
    with store.transaction():
        for number, (title, body) in enumerate([("green tea", "red"), ("red", "green tea"), ("green", "blue")]):
            samples.put(store, notes, samples.prepared(notes, f"{number}.md", body, title=title, aliases=("leaf",)))
        for number in range(3, 9):
            samples.put(store, notes, samples.prepared(notes, f"{number}.md", "other", title="filler"))

    def uris(terms: Terms, *fields: LexicalField) -> list[str]:
        keys = [one.key for one in store.lexical.search(notes.project_id, terms, Filters(), 10, fields)]
        known = store.documents.candidates(notes.project_id, keys)
        return [known[key].uri for key in keys]

    words = Terms("", words=("green", "tea"))
    assert uris(words, "title") == ["0.md", "2.md"]
    assert uris(words, "title", "body") == uris(words)
    assert sorted(uris(Terms("", words=("leaf",)), "aliases")) == ["0.md", "1.md", "2.md"]
    assert uris(Terms("", phrases=(("green", "tea"),)), "body") == ["1.md"]
    assert uris(Terms("", words=("green",), excluded=(("blue",),)), "title") == ["0.md"]
    assert uris(Terms("", prefixes=("gre",)), "body") == ["1.md"]


def test_what_excludes_nothing_changes_no_score(store: Store, notes: Collection) -> None:
    with store.transaction():
        for number, (title, body) in enumerate([("", "red"), ("red", ""), *[("", "other")] * 5]):
            samples.put(store, notes, samples.prepared(notes, f"{number}.md", body, title=title))
    terms = Terms("", phrases=(("red",),), prefixes=("red",))
    for fields in ((), ("title", "keywords")):
        expected = store.lexical.search(notes.project_id, terms, Filters(), 10, fields)
        assert len(expected) == 2 - bool(fields)
        for excluded in ((), ("nowhere",)):
            without = replace(terms, excluded=(excluded,))
            assert store.lexical.search(notes.project_id, without, Filters(), 10, fields) == expected


def test_preferred_phrases_alone_are_a_query(store: Store, notes: Collection) -> None:
    a, _, c, *_ = fill(store, notes, "red green", "green red", "x red green", "x", "x", "x", "x")
    assert found(store, notes, Terms("", preferred=(("red", "green"),))) == [a, c]
    assert found(store, notes, Terms("", preferred=(("red",),))) == []


def test_a_word_that_no_chunk_holds_has_others_like_it(store: Store, notes: Collection) -> None:
    fill(store, notes, "receive relieve", "recipe", "entirely different")
    assert list(store.lexical.similar(notes.project_id, "recieve", 3)) == ["relieve", "recipe", "receive"]
    assert list(store.lexical.starting(notes.project_id, "re")) == ["receive", "recipe", "relieve"]
    assert list(store.lexical.starting(notes.project_id, "zz")) == []
    assert list(store.lexical.similar(notes.project_id, "receive", 2)) == ["receive"]
    assert list(store.lexical.similar(notes.project_id, "zzz", 2)) == []
    fill(store, notes, "recieve")
    assert list(store.lexical.similar(notes.project_id, "recieve", 9)) == ["recieve"]


def test_words_like_another_are_the_projects_own(store: Store, notes: Collection) -> None:
    elsewhere = samples.ensure(store, project="other")
    fill(store, notes, "relieve")
    with store.transaction():
        samples.put(store, elsewhere, samples.prepared(elsewhere, "a.md", "receive", title=""))
    assert list(store.lexical.similar(notes.project_id, "recieve", 9)) == ["relieve"]


@pytest.mark.parametrize("token", HOSTILE, ids=ascii)
def test_any_token_may_be_misspelt(store: Store, notes: Collection, token: str) -> None:
    assert list(store.lexical.similar(notes.project_id, token, 5)) == []
    fill(store, notes, "red", "blue")
    assert set(store.lexical.similar(notes.project_id, token, 5)) <= {"red", "blue"}
