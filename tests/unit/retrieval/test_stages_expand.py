"""Expansion: intent, concepts, feedback and hypotheses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import samples
from stage_samples import LetterEmbedder, asking, library, note, uris

from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.search_data_sources import SearchedLibrary, SearchText
from octavo.retrieval.stage import RetrievalProfile, SkipStage
from octavo.retrieval.stages.hypothetical_answer_recall import HypothesisRecall
from octavo.retrieval.stages.lexical_and_dense_recall import DenseRecall, LexicalRecall
from octavo.retrieval.stages.score_and_rank_fusion import ScoreFusion, SingleChannel
from octavo_stages.query_intent_and_expansion import ConceptExpansion, FeedbackRecall, QueryIntent


class SampleText(SearchText):
    """Texts in the words of the samples."""

    def query_tokens(self, text: str) -> list[str]:
        return samples.tokens(text).split()


@pytest.fixture
def held() -> SearchedLibrary:
    plain = library(
        note("zebra.md", "# Zebra", "zzz bra"),
        note("stripes.md", "# Stripes", "zebra stripes"),
        note("apple.md", "# Apple", "apple pie"),
    )
    return replace(plain, text=SampleText())


def test_the_intent_is_said_in_the_trace_and_changes_nothing(held: SearchedLibrary) -> None:
    profile = RetrievalProfile("intent", (LexicalRecall(),), SingleChannel(), expand=(QueryIntent(),))
    query = asking(held, "how is zebra").query
    candidates, trace = run(profile, query, held)
    assert candidates == run(replace(profile, expand=()), query, held)[0]
    assert trace[0].detail == {"intent": "question"}


def test_titles_near_the_query_lend_it_their_words(held: SearchedLibrary) -> None:
    search = asking(held, "zebr")
    expanded = ConceptExpansion(terms=1).expand(search)
    assert expanded.terms.words == ("zebr", "zebra")
    assert list(search.notes["concepts"]) == ["Zebra"]


def test_a_query_whose_words_say_it_all_is_left_alone(held: SearchedLibrary) -> None:
    with pytest.raises(SkipStage, match="near enough"):
        ConceptExpansion(least=0.9999).expand(asking(held, "qqqq"))
    with pytest.raises(SkipStage, match="other words"):
        ConceptExpansion(passages=2).expand(asking(held, "zebra stripes"))
    with pytest.raises(SkipStage, match="no words"):
        ConceptExpansion().expand(asking(held, ""))


def test_feedback_turns_the_query_towards_the_nearest_passages(held: SearchedLibrary) -> None:
    search = asking(held, "zzz")
    before = search.vector
    ranking = FeedbackRecall(passages=1, share=0.5).recall(search)
    nearest = held.meaning.vectors.vectors_of([ranking.scored[0].key])[ranking.scored[0].key]
    assert float(search.vector @ nearest) > float(before @ nearest)
    assert float(np.linalg.norm(search.vector)) == pytest.approx(1.0, abs=1e-6)


def test_without_a_share_feedback_is_plain_dense_recall(held: SearchedLibrary) -> None:
    plain = DenseRecall().recall(asking(held, "zebra"))
    moved = FeedbackRecall(share=0.0).recall(asking(held, "zebra"))
    assert [one.key for one in moved.scored] == [one.key for one in plain.scored]


def test_a_hypothesis_has_its_share_and_the_question_the_rest(held: SearchedLibrary) -> None:
    def first(share: float, **values: object) -> str:
        search = asking(held, "zebra zzz", **values)
        fused = SingleChannel().fuse(search, {"dense": HypothesisRecall(share=share).recall(search)})
        return uris(fused)[0]

    for given in ({"hypothesis": "apple pie"}, {"variants": ("apple pie",)}, {"variants": ("apple", "pie")}):
        assert first(1.0, **given) == "apple.md"
        assert first(0.0, **given) == "zebra.md"
    assert first(1.0) == "zebra.md"


def test_fusion_sees_the_turned_vector(held: SearchedLibrary) -> None:
    search = asking(held, "zebra", hypothesis="apple pie")
    HypothesisRecall(share=1.0).recall(search)
    assert np.allclose(search.vector, LetterEmbedder().embed_query("apple pie"), atol=1e-6)


@pytest.mark.parametrize("stage", [FeedbackRecall(), HypothesisRecall()], ids=str)
def test_without_vectors_the_channel_is_skipped(stage: FeedbackRecall | HypothesisRecall) -> None:
    bare = library(note("a.md", "a"), embedded=False)
    with pytest.raises(SkipStage, match="no chunk has a vector yet"):
        stage.recall(asking(bare))


def test_either_takes_the_place_of_the_dense_channel(held: SearchedLibrary) -> None:
    query = asking(held, "zebra stripes").query
    for stage in (FeedbackRecall(), HypothesisRecall()):
        profile = replace(PROFILES["hybrid"], recall=(LexicalRecall(), stage), fuse=ScoreFusion())
        candidates, trace = run(profile, query, held)
        assert candidates[0].uri == "stripes.md"
        assert [entry.failed for entry in trace] == [None] * len(trace)
