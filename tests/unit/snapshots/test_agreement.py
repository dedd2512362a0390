"""A snapshot and what was written since answer exactly as the library itself does, whatever happened in between."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from long_runs import examples
from snapshot_samples import PROFILE, Bench

from octavo.model.query import Filters, PropertyCondition, Terms

WORDS = ("apple", "banana", "cherry", "date", "elder", "fig", "grape", "hazel")
paragraphs = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join), min_size=1, max_size=4)
uris = st.sampled_from([f"{folder}/{name}.md" for folder in ("a", "b") for name in ("one", "two", "three", "four")])
actions = st.one_of(
    st.tuples(st.just("put"), uris, paragraphs),
    st.tuples(st.just("put"), uris, paragraphs),
    st.tuples(st.just("remove"), uris, st.none()),
    st.tuples(st.just("move"), uris, uris),
    st.tuples(st.just("embed"), st.integers(1, 6), st.none()),
    st.tuples(st.just("fast"), st.integers(1, 6), st.none()),
    st.tuples(st.just("publish"), st.none(), st.none()),
)
QUERIES = [
    Terms("q", words=("apple",)),
    Terms("q", words=("apple", "fig", "grape")),
    Terms("q", words=("nothing", "hazel")),
    Terms("q", words=WORDS),
    Terms("q", words=("banana",), prefixes=("e", "gr")),
    Terms("q", words=("banana", "cherry"), excluded=(("apple",),)),
    Terms("q", words=("banana",), phrases=(("apple", "fig"),)),
]
FILTERS = [
    *(Filters(), Filters(path_prefix="a/"), Filters(uris=("b/one.md",)), Filters(heading_contains="one")),
    *(Filters(where=(PropertyCondition("title", ">=", "b"),)), Filters(content_types=("prose",))),
]


@settings(
    max_examples=examples(25),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=(Phase.explicit, Phase.generate),
)
@given(st.sampled_from((0, 16)), st.lists(actions, min_size=3, max_size=16))
def test_every_answer_is_that_of_the_library_after_any_sequence_of_changes(
    filled: int, steps: list[tuple[str, Any, Any]]
) -> None:
    with tempfile.TemporaryDirectory() as folder, Bench(Path(folder)) as bench:
        # Enough to start with that a base segment is carried over, and the segment after it counts.
        for number in range(filled):
            bench.do("put", f"a/held {number}.md", ["apple fig", "banana hazel"])
        for step in steps:
            bench.do(*step)
            if bench.made:
                _agrees(bench)
        if bench.written:
            bench.do("publish", None, None)
            _agrees(bench)


def _agrees(bench: Bench) -> None:
    store, project = bench.store, bench.project
    with store.reading():
        for terms in QUERIES:
            for filters in FILTERS:
                wanted = store.lexical.search(project, terms, filters, 5)
                assert bench.lexical.search(project, terms, filters, 5) == wanted
        for phrase in (*((word,) for word in (*WORDS, "nothing")), ("apple", "fig"), ()):
            assert list(bench.lexical.containing(project, phrase)) == list(store.lexical.containing(project, phrase))
        for word in (*WORDS[:2], "appel", "hazle"):
            near = store.lexical.similar(project, word, 50)
            there = [other for other in near if store.lexical.containing(project, (other,))]
            assert list(bench.lexical.similar(project, word, 50)) == there
        for filters in FILTERS:
            assert list(bench.lexical.admitted(project, filters)) == list(store.documents.admitted(project, filters))
        for number in range(3):
            vector = bench.vector(f"query {number}")
            for admitted in (None, np.asarray(store.documents.admitted(project, FILTERS[1]), dtype=np.int64)):
                wanted = bench.exact.search(vector, 4, admitted)
                found = bench.vectors.search(vector, 4, admitted)
                assert found == wanted
                assert bench.exact.score(vector, [one.key for one in found]) == dict(found)
        keys = [one.key for one in bench.exact.search(bench.vector("all"), 100)]
        exact = bench.exact.score(bench.vector("x"), keys)
        assert bench.vectors.score(bench.vector("x"), keys) == exact
        assert sorted(bench.vectors.vectors_of(keys)) == sorted(keys)
        assert bench.vectors.fast_among(keys) == bench.exact.fast_among(keys)


def test_a_document_that_moved_is_found_in_a_snapshot_that_carried_its_base_over(tmp_path: Path) -> None:
    with Bench(tmp_path) as bench:
        for number in range(18):
            bench.do("put", f"a/{number}.md", ["apple fig", "banana", "cherry date"])
        bench.do("publish", None, None)
        bench.do("move", "a/7.md", "b/one.md")
        assert bench.publish().files["lexical-base.seg"].carried
        _agrees(bench)
        bench.do("move", "b/one.md", "a/seven.md")
        _agrees(bench)
        assert bench.publish().files["lexical-base.seg"].carried
        bench.reopen()
        _agrees(bench)


def test_a_chunk_with_several_windows_scores_by_its_best(tmp_path: Path) -> None:
    with Bench(tmp_path, windows=3) as bench:
        bench.do("put", "a/one.md", ["apple fig apple fig apple fig", "banana"])
        bench.do("embed", 100, None)
        bench.do("publish", None, None)
        _agrees(bench)
    assert PROFILE.dimensions == 16
