"""Phrases, titles, misspelt words, and how they join the lexical channel."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stage_samples import asking, library, note

from octavo.model.query import Filters
from octavo.model.search_result import Ranking, ScoredChunk
from octavo.retrieval.pipeline import run
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import Recall, RetrievalProfile, Search, SkipStage
from octavo.retrieval.stages.lexical_and_dense_recall import DenseRecall, LexicalRecall
from octavo.retrieval.stages.lexical_channel_joining import JoinedFusion
from octavo.retrieval.stages.query_weighted_fusion import BalancedFusion
from octavo.retrieval.stages.score_and_rank_fusion import ScoreFusion, SingleChannel
from octavo.retrieval.stages.spelling_corrected_recall import TypoRecall
from octavo_stages.recall_stages import PhraseRecall, TitleRecall


@pytest.fixture
def held() -> SearchedLibrary:
    filler = (note(f"{number}.md", "something else entirely") for number in range(8))
    return library(
        note("near.md", "we receive machine learning news"),
        note("far.md", "learning about a machine we believe"),
        note("machine learning.md", "body without"),
        note("alias.md", "nothing", aliases=("ml", "machine")),
        *filler,
    )


def found(ranking: Ranking, held: SearchedLibrary) -> list[str]:
    known = held.store.documents.candidates(held.project, [one.key for one in ranking.scored])
    return [known[one.key].uri for one in ranking.scored]


def test_a_phrase_is_found_only_where_its_words_are_neighbours(held: SearchedLibrary) -> None:
    ranking = PhraseRecall().recall(asking(held, "machine learning"))
    assert set(found(ranking, held)) == {"near.md", "machine learning.md"}
    assert ranking.channel == "phrase"


def test_titles_and_aliases_are_a_channel_of_their_own(held: SearchedLibrary) -> None:
    assert set(found(TitleRecall().recall(asking(held, "machine")), held)) == {"machine learning.md", "alias.md"}
    only = TitleRecall(fields=("aliases",)).recall(asking(held, "machine"))
    assert found(only, held) == ["alias.md"]


def test_a_misspelt_word_is_read_as_the_nearest_known_one(held: SearchedLibrary) -> None:
    search = asking(held, "recieve machine")
    assert found(TypoRecall().recall(search), held)[0] == "near.md"
    assert search.notes["read_as"] == {"recieve": "receive"}


@pytest.mark.parametrize("text", ["machine learning", "xyz", "qqqqqqqqqq", "machine r2d2", ""])
def test_words_that_are_known_short_or_like_nothing_are_not_corrected(held: SearchedLibrary, text: str) -> None:
    with pytest.raises(SkipStage, match="misspelt"):
        TypoRecall().recall(asking(held, text))


@pytest.mark.parametrize("stage", [PhraseRecall(), TitleRecall()], ids=str)
def test_a_channel_without_anything_to_look_for_is_skipped(held: SearchedLibrary, stage: Recall) -> None:
    with pytest.raises(SkipStage):
        stage.recall(asking(held, ""))


@pytest.mark.parametrize("stage", [PhraseRecall(), TitleRecall(), TypoRecall()], ids=str)
def test_filters_and_exclusions_hold_in_every_channel(held: SearchedLibrary, stage: Recall) -> None:
    search = asking(held, "machine learning recieve", filters=Filters(uris=("near.md", "machine learning.md")))
    assert set(found(stage.recall(search), held)) <= {"near.md", "machine learning.md"}
    without = replace(search.query.terms, excluded=(("machine",),))
    assert stage.recall(Search(replace(search.query, terms=without), held)).scored == ()


def test_channels_that_look_for_words_join_the_lexical_one(held: SearchedLibrary) -> None:
    recall = (LexicalRecall(), TitleRecall(), PhraseRecall())
    plain = RetrievalProfile("plain", recall, JoinedFusion(weights=(), base=ScoreFusion()))
    joined = replace(plain, fuse=JoinedFusion(weights=(("title", 5.0),)))
    query = asking(held, "machine news receive").query
    assert run(plain, query, held)[0][0].uri == "near.md"
    candidates, trace = run(joined, query, held)
    assert candidates[0].uri in {"machine learning.md", "alias.md"}
    assert [entry.detail["joined"] for entry in trace if entry.shape == "fuse"] == [{"title": 5.0}]


def test_to_be_found_by_one_channel_more_is_never_worse_than_by_meaning_alone(held: SearchedLibrary) -> None:
    search = asking(held, "machine learning")
    near, far, named, *_ = (one.key for one in DenseRecall().recall(search).scored)
    words = Ranking("lexical", (ScoredChunk(near, 20.0), ScoredChunk(far, 12.0)), beyond=12.0)
    rankings = {"lexical": words, "dense": Ranking("dense", tuple(ScoredChunk(key, 0.5) for key in (near, far, named)))}
    fusion = JoinedFusion(weights=(("title", 0.1),), base=BalancedFusion())
    alone = {one.key: one.score for one in fusion.fuse(search, rankings)}
    also = rankings | {"title": Ranking("title", (ScoredChunk(far, 10.0), ScoredChunk(named, 1.0)))}
    assert {one.key: one.score for one in fusion.fuse(search, also)}[named] > alone[named]


def test_a_channel_stands_in_for_a_lexical_one_that_found_nothing(held: SearchedLibrary) -> None:
    query = asking(held, "recieve").query
    profile = RetrievalProfile("typos", (LexicalRecall(), DenseRecall(), TypoRecall()), JoinedFusion())
    candidates, _ = run(profile, query, held)
    assert candidates[0].uri == "near.md"
    alone = RetrievalProfile("alone", (LexicalRecall(), TypoRecall()), JoinedFusion(base=SingleChannel()))
    assert [one.uri for one in run(alone, query, held)[0]] == ["near.md"]


@pytest.mark.parametrize("channel", [LexicalRecall, DenseRecall])
def test_a_channel_looks_deeper_where_there_is_little_to_look_through(
    held: SearchedLibrary, monkeypatch: pytest.MonkeyPatch, channel: type[LexicalRecall | DenseRecall]
) -> None:
    def count(in_small: int = 6, **filters: tuple[str, ...]) -> int:
        search = asking(held, "else", limit=2, filters=Filters(**filters))  # type: ignore[arg-type]
        return len(channel(depth=2, in_small=in_small).recall(search).scored)

    assert count() == 6
    assert count(in_small=0) == 2
    for module in ("stage", "search_data_sources"):
        monkeypatch.setattr(f"octavo.retrieval.{module}.SMALL", 10)
    assert count() == 2
    assert count(uris=tuple(f"{number}.md" for number in range(5))) == 5


@pytest.mark.parametrize(("tied", "questions"), [(4, 1), (40, 2)])
def test_chunks_that_tie_with_the_last_are_taken_by_their_uris_mostly_after_one_question(
    tied: int, questions: int
) -> None:
    others = (note(f"{number:02}.md", "dome") for number in reversed(range(tied)))
    held = library(note("z.md", "dome dome dome"), *others)
    asked: list[int] = []
    search = held.store.lexical.search

    def counted(*given: object) -> tuple[ScoredChunk, ...]:
        asked.append(1)
        return search(*given)  # type: ignore[arg-type]

    held.store.lexical.search = counted  # type: ignore[method-assign,assignment]
    ranking = LexicalRecall(depth=3, in_small=0).recall(asking(held, "dome"))
    assert found(ranking, held) == ["z.md", "00.md", "01.md"] and len(asked) == questions
