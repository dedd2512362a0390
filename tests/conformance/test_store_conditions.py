"""AND, OR, NOT and parentheses on every store: the chunks found are those of which the condition holds."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import samples
from numpy.typing import NDArray
from search_vectors import Meaning

from octavo.algorithms.queries.query_parsing import parse_query
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.model.ids import ChunkKey
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Condition, Filters, Query
from octavo.ports import VectorIndex
from octavo.retrieval.filtered_chunks import chunks_meeting
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import Search
from octavo.sql_repositories.store import Store

WORDS = ("red", "green", "blue", "black", "blond")
ANALYZER = Analyzer()


def holds(condition: Condition, tokens: list[str]) -> bool:
    """The reference: of one chunk at a time."""
    match condition.kind:
        case "holds":
            if condition.prefix:
                return any(token.startswith(condition.tokens[0]) for token in tokens)
            size = len(condition.tokens)
            return any(tuple(tokens[at : at + size]) == condition.tokens for at in range(len(tokens)))
        case "all":
            return all(holds(part, tokens) for part in condition.parts)
        case "any":
            return any(holds(part, tokens) for part in condition.parts)
        case "not":
            return not any(holds(part, tokens) for part in condition.parts)
    raise AssertionError(condition.kind)


def some_condition(chance: random.Random, depth: int = 3) -> Condition:
    kind = chance.choice(("holds", "holds", "all", "any", "not")) if depth else "holds"
    if kind == "holds":
        if chance.random() < 0.2:
            return Condition("holds", (chance.choice(("bl", "gre", "zz")),), prefix=True)
        return Condition("holds", tuple(chance.choices(WORDS, k=chance.choice((1, 1, 2)))))
    parts = tuple(some_condition(chance, depth - 1) for _ in range(chance.choice((1, 2, 3))))
    return Condition(kind, parts=parts)  # type: ignore[arg-type]


def no_vectors() -> VectorIndex:
    raise AssertionError("a condition asks for no vector")


def filled(store: Store, notes: Collection, chance: random.Random) -> dict[ChunkKey, list[str]]:
    texts = {}
    with store.transaction():
        for number in range(40):
            words = chance.choices(WORDS, k=chance.randint(1, 5))
            (key,) = samples.put(store, notes, samples.prepared(notes, f"{number}.md", " ".join(words), title=""))
            texts[key] = words
    return texts


@pytest.mark.parametrize("seed", range(3))
def test_a_condition_holds_of_the_same_chunks_as_by_the_reference(store: Store, notes: Collection, seed: int) -> None:
    chance = random.Random(seed)
    texts = filled(store, notes, chance)
    every = np.array(sorted(texts), dtype=np.int64)

    def leaf(condition: Condition) -> NDArray[np.int64]:
        found = store.lexical.containing(notes.project_id, condition.tokens, prefix=condition.prefix)
        return np.asarray(found, dtype=np.int64)

    for _ in range(60):
        condition = some_condition(chance)
        expected = [key for key in sorted(texts) if holds(condition, texts[key])]
        assert chunks_meeting(condition, lambda: every, leaf).tolist() == expected, condition


TYPED: dict[str, Callable[[set[str]], bool]] = {
    "red AND green": lambda words: {"red", "green"} <= words,
    "red OR green": lambda words: bool({"red", "green"} & words),
    "red NOT green": lambda words: "red" in words and "green" not in words,
    "NOT red": lambda words: "red" not in words,
    "red AND (green OR blue)": lambda words: "red" in words and bool({"green", "blue"} & words),
    "(red OR green) AND NOT (blue OR black)": lambda words: (
        bool({"red", "green"} & words) and not {"blue", "black"} & words
    ),
    "red AND NOT bl*": lambda words: "red" in words and not {"blue", "black", "blond"} & words,
    "red green -bl*": lambda words: bool({"red", "green"} & words) and not {"blue", "black", "blond"} & words,
    "red OR NOT blue": lambda words: "red" in words or "blue" not in words,
    "((red)) AND green)": lambda words: {"red", "green"} <= words,
}


@pytest.mark.parametrize("typed", TYPED)
def test_a_typed_query_lets_through_what_it_says(store: Store, notes: Collection, typed: str) -> None:
    texts = filled(store, notes, random.Random(7))
    terms, filters = parse_query(typed, ANALYZER)
    unused = Meaning(partial(pytest.fail, "no model"), no_vectors)
    library = SearchedLibrary(store, notes.project_id, unused, lambda: 0.0)
    search = Search(Query(typed, terms=terms, filters=filters), library)
    expected = {key for key, words in texts.items() if TYPED[typed](set(words))}
    if terms.words:
        assert {chunk.key for chunk in search.passing(search.holding(terms, 100))} == expected
    else:
        assert search.admitted is not None
        assert set(search.admitted.tolist()) == expected
    assert filters == Filters()
