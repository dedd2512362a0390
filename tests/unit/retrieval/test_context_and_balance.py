"""Context smoothing and the balance of words and meaning, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recto.model.query import Query
from recto.model.result import Candidate
from recto.retrieval.stage import Library, Search, SkipStage, in_order
from recto.retrieval.stages.adaptive import Balance
from recto.retrieval.stages.context import ContextSmoothing
from recto.testing import samples
from recto.testing.memory_store import MemoryStore


def _search(*paragraphs: str, turns: int = 0) -> tuple[Search, list[Candidate]]:
    store = MemoryStore()
    within = samples.ensure(store)
    with store.transaction():
        keys = list(samples.put(store, within, samples.prepared(within, "long.md", *paragraphs))) if paragraphs else []
        for turn in range(turns):
            place = {"sequence": "talk", "position": turn}
            keys += samples.put(store, within, samples.prepared(within, f"{turn}.md", f"turn {turn}", metadata=place))
    library = Library(store, within.project_id, _nothing, _nothing, lambda: 0.0)
    known = store.documents.candidates(within.project_id, keys)
    return Search(Query("x"), library), [known[key] for key in keys]


def _nothing() -> None:
    raise AssertionError("smoothing asks for no model")


def _scored(candidates: list[Candidate], *scores: float) -> tuple[Candidate, ...]:
    return in_order([replace(one, score=score) for one, score in zip(candidates, scores, strict=True)])


def _scores(candidates: tuple[Candidate, ...]) -> list[float]:
    return [round(one.score, 6) for one in sorted(candidates, key=lambda one: one.key)]


def test_a_chunk_of_a_long_document_gains_from_the_chunks_around_it() -> None:
    search, found = _search(*(f"paragraph {number}" for number in range(6)))
    smoothed = ContextSmoothing().refine(search, _scored(found, 1.0, 2.0, 0.5, -1.0, 0.0, 0.0))
    assert _scores(smoothed) == pytest.approx([1.45, 2.3, 1.0, -0.7, 0.05, 0.0])
    assert smoothed[0].steps[-1].detail == "+0.300 from neighbours"


def test_a_short_document_is_left_alone() -> None:
    search, found = _search("one", "two", "three")
    with pytest.raises(SkipStage):
        ContextSmoothing().refine(search, _scored(found, 1.0, 2.0, 3.0))


def test_a_turn_gains_from_the_turns_beside_it() -> None:
    search, found = _search(turns=3)
    smoothed = ContextSmoothing().refine(search, _scored(found, 0.0, 2.0, 1.0))
    assert _scores(smoothed) == [0.0 + 1.0 + 0.25, 2.0 + 0.5, 1.0 + 1.0]


def test_a_standout_word_match_gives_words_more_weight() -> None:
    flat, _ = Balance().weight([10.0] * 10, [0.65])
    standout, _ = Balance().weight([10.0] + [2.0] * 9, [0.65])
    assert standout > flat


def test_a_model_that_sees_nothing_close_gets_less_weight() -> None:
    close, _ = Balance().weight([10.0] + [6.0] * 9, [0.9])
    far, reason = Balance().weight([10.0] + [6.0] * 9, [0.3])
    assert far > close
    assert reason == "best word match 40% above the tenth, best cosine 0.30"


def test_the_weight_stays_within_its_bounds() -> None:
    for lexical, cosines in (([], []), ([0.0], [-1.0]), ([1e9, 0.0], [1.0])):
        weight, _ = Balance().weight(lexical, cosines)
        assert Balance().least <= weight <= Balance().most
