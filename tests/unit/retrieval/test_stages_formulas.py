"""Formulas a profile can be made of: raw scores, weights of any channel, intents, links from what was found."""

from __future__ import annotations

import pytest
from stage_samples import asking, details, library, listed, note, uris
from test_stages_graph import chain

from octavo.model.ids import ChunkKey
from octavo.model.search_result import Ranking, ScoredChunk
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import SkipStage, in_order
from octavo.retrieval.stages.lexical_channel_joining import JoinedFusion
from octavo.retrieval.stages.score_and_rank_fusion import RankFusion, ScoreFusion
from octavo_stages.graph_stages import GraphExpansion
from octavo_stages.query_intent_and_expansion import IntentFusion


def held() -> SearchedLibrary:
    return library(note("a.md", "alpha"), note("b.md", "beta"), note("c.md", "gamma"))


def ranking(name: str, *scores: tuple[int, float]) -> Ranking:
    return Ranking(name, tuple(ScoredChunk(ChunkKey(key), score) for key, score in scores))


def test_raw_fusion_is_three_quarters_of_the_cosine_and_a_quarter_of_bm25_by_its_best() -> None:
    notes = held()
    keys = [candidate.key for candidate in listed(notes)]
    dense = ranking("dense", *zip(keys, (0.8, 0.4, 0.2), strict=True))
    lexical = ranking("lexical", (keys[1], 12.0), (keys[2], 3.0))
    fusion = ScoreFusion(dense=0.75, lexical=0.25, normaliser="raw")
    fused = fusion.fuse(asking(notes), {"dense": dense, "lexical": lexical})
    assert {one.uri: one.score for one in fused} == {
        "a.md": pytest.approx(0.6),
        "b.md": pytest.approx(0.75 * 0.4 + 0.25),
        "c.md": pytest.approx(0.75 * 0.2 + 0.25 * 0.25),
    }


def test_rank_fusion_weighs_any_channel() -> None:
    notes = held()
    a, b, _ = [candidate.key for candidate in listed(notes)]
    rankings = {"title": ranking("title", (a, 1.0)), "phrase": ranking("phrase", (b, 1.0))}
    heavier = RankFusion(weights=(("phrase", 3.0),)).fuse(asking(notes), rankings)
    assert uris(heavier) == ["b.md", "a.md"]
    assert uris(RankFusion(weights=(("title", 2.0),)).fuse(asking(notes), rankings)) == ["a.md", "b.md"]


def test_a_joined_channel_does_not_count_again_in_the_base() -> None:
    notes = held()
    a, b, _ = [candidate.key for candidate in listed(notes)]
    lexical, title = ranking("lexical", (a, 2.0), (b, 1.0)), ranking("title", (b, 1.0))
    rankings = {"lexical": lexical, "title": title}
    fused = JoinedFusion(weights=(("title", 0.1),), base=RankFusion()).fuse(asking(notes), rankings)
    assert [one.score for one in fused] == pytest.approx([1 / 61, 1 / 62], abs=1e-6)
    assert [step.stage for step in fused[1].steps] == ["title", "lexical", "rank_fusion"]


@pytest.mark.parametrize(
    ("typed", "intent", "first"), [("getUserById", "code", "a.md"), ("how do I log in?", "question", "b.md")]
)
def test_the_intent_of_a_query_decides_between_words_and_meaning(typed: str, intent: str, first: str) -> None:
    notes = held()
    a, b, _ = [candidate.key for candidate in listed(notes)]
    rankings = {
        "lexical": ranking("lexical", (a, 2.0), (b, 1.0)),
        "dense": ranking("dense", (b, 0.9), (a, 0.1)),
    }
    search = asking(notes, typed)
    fused = IntentFusion(code=0.9, question=0.1).fuse(search, rankings)
    assert (uris(fused)[0], search.notes["intent"]) == (first, intent)


def test_links_lead_from_what_was_found_to_what_no_channel_found() -> None:
    notes = chain()
    found = in_order(
        [candidate for candidate in listed(notes, 1.0, 0.5, 0.4, 0.8) if candidate.uri in ("a.md", "d.md")]
    )
    expanded = GraphExpansion(seeds=1).refine(asking(notes), found)
    assert uris(expanded)[:1] == ["a.md"]
    assert sorted(uris(expanded)) == ["a.md", "b.md", "c.md", "d.md"]
    assert details(expanded, "graph_expansion") == {
        "b.md": "linked with one of the best",
        "c.md": "2 hops from one of the best",
    }
    scores = {one.uri: one.score for one in expanded}
    assert scores["b.md"] > scores["c.md"] or scores["b.md"] == scores["c.md"] == 0.0


def test_what_is_linked_with_nothing_leads_nowhere() -> None:
    notes = held()
    with pytest.raises(SkipStage, match="nothing else"):
        GraphExpansion().refine(asking(notes), listed(notes))
