"""A recorded search replays to the same result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest
from samples import MODIFIED
from stage_samples import asking, library, note

from octavo.errors import ConfigurationError, InvalidArgument, ProviderFailed
from octavo.model.document import Kind
from octavo.model.query import Filters, Query
from octavo.model.search_result import StageTrace
from octavo.ports import Embedder
from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.reranker_cost_measurement import MeasuredReranker
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.search_replay import read_recording, replay, run_recorded
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.lexical_and_dense_recall import DenseRecall, LexicalRecall
from octavo.retrieval.stages.lexical_channel_joining import JoinedFusion
from octavo.retrieval.stages.query_weighted_fusion import BalancedFusion
from octavo.retrieval.stages.reranking import Rerank
from octavo.retrieval.stages.score_and_rank_fusion import ScoreFusion
from octavo.retrieval.stages.semantic_duplicate_removal import SemanticDuplicates
from octavo.retrieval.stages.spelling_corrected_recall import TypoRecall
from octavo.retrieval.stages.token_budget_cutoff import TokenBudget
from octavo_stages.diversity_and_duplicates import MarginalRelevance
from octavo_stages.query_intent_and_expansion import ConceptExpansion, FeedbackRecall, QueryIntent
from octavo_stages.recall_stages import PhraseRecall, TitleRecall
from octavo_stages.recency_and_time_range import RecencyDecay
from octavo_stages.section_stages import ParentExpansion

EVERYTHING = RetrievalProfile(
    "everything",
    recall=(LexicalRecall(depth=3), FeedbackRecall(depth=3), PhraseRecall(), TitleRecall(), TypoRecall()),
    fuse=JoinedFusion(base=ScoreFusion()),
    refine=(RecencyDecay(), SemanticDuplicates(), MarginalRelevance(), Rerank(), ParentExpansion(), TokenBudget(40)),
    expand=(QueryIntent(), ConceptExpansion()),
)

SHALLOW = RetrievalProfile("shallow", (LexicalRecall(1, in_small=0), DenseRecall(3, in_small=0)), BalancedFusion())


@dataclass(frozen=True)
class ByLength:
    name: str = "by-length@1"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        return [float(len(text)) for text in texts]


def _away() -> Embedder:
    raise ProviderFailed("the model is away")


def without_model(held: SearchedLibrary) -> SearchedLibrary:
    return replace(held, meaning=held.meaning.instead(embedder=_away))


@pytest.fixture
def held() -> SearchedLibrary:
    words = ("apple", "zebra", "river", "stone", "cloud", "receive")
    documents = [
        note(f"{number}.md", f"# About {words[number % 6]}", f"{words[number % 6]} and {words[number % 5]} {number}",
             modified_at=MODIFIED - 86_400.0 * number)
        for number in range(12)
    ]  # fmt: skip
    measured = MeasuredReranker(ByLength())
    return replace(
        library(*documents), models=SimpleNamespace(reranker=measured, judges=lambda *_: (), query_writer=lambda: None)
    )


def told(trace: Sequence[StageTrace]) -> list[StageTrace]:
    return [replace(entry, took_ms=0.0) for entry in trace if entry.shape in ("fuse", "refine")]


@pytest.mark.parametrize("profile", [*PROFILES.values(), SHALLOW, EVERYTHING], ids=lambda one: one.name)
@pytest.mark.parametrize("text", ["apple zebra", "recieve cloud", "12345", ""])
def test_a_recording_gives_the_same_candidates_without_any_model(
    held: SearchedLibrary, profile: RetrievalProfile, text: str
) -> None:
    query = asking(held, text).query
    answered, recording = run_recorded(profile, query, held)
    assert answered[0] == run(profile, query, replace(held, run=replace(held.run, later=[])))[0]
    for write in held.run.later:
        write()
    candidates, trace = replay(read_recording(recording.to_json()), without_model(held))
    assert candidates == answered[0]
    if not any(stage.name == "rerank" for stage in profile.refine):  # whose scores are known the second time
        assert told(trace) == told(answered[1])


def test_skipped_and_failed_channels_are_replayed_as_such(held: SearchedLibrary) -> None:
    profile = RetrievalProfile("both", (LexicalRecall(), DenseRecall()), ScoreFusion())
    (_, trace), recording = run_recorded(profile, asking(held, "apple").query, without_model(held))
    _, again = replay(recording, held)
    assert [(entry.stage, entry.failed, entry.skipped) for entry in again] == [
        (entry.stage, entry.failed, entry.skipped) for entry in trace
    ]


def test_a_recording_keeps_the_query_whole(held: SearchedLibrary) -> None:
    filters = Filters(kinds=(Kind.NOTE,), modified_after=1.5, tags_all=("é",))
    query = Query("apple", 3, filters, asking(held, "apple").query.terms, variants=("x",), budget=5)
    _, recording = run_recorded(PROFILES["hybrid"], query, held)
    assert read_recording(recording.to_json()) == recording
    assert recording.query == query


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"format": 1}', '{"format": 2}'])
def test_what_is_no_recording_is_refused_in_our_words(text: str) -> None:
    with pytest.raises(ConfigurationError, match="not a recorded search") as refused:
        read_recording(text)
    assert "pydantic" not in refused.value.message and "\n" not in refused.value.message
    assert "--trace" in (refused.value.hint or "")


def test_a_recording_is_refused_by_another_library(held: SearchedLibrary) -> None:
    _, recording = run_recorded(PROFILES["hybrid"], asking(held, "apple").query, held)
    others = (library(*(note(f"{number}.md", f"stone {number}") for number in range(24))), library())
    for other in others:
        with pytest.raises(InvalidArgument, match="another library") as refused:
            replay(recording, other)
        assert "--library" in (refused.value.hint or "")
    with pytest.raises(InvalidArgument, match="in the project elsewhere"):
        replay(replace(recording, project="elsewhere"), held)


def test_a_recording_replays_although_documents_came_and_went(held: SearchedLibrary) -> None:
    _, recording = run_recorded(PROFILES["hybrid"], asking(held, "apple").query, held)
    gone = held.store.documents.find(held.project, "0.md")[0]
    with held.store.transaction():
        held.store.documents.remove(held.project, gone.id)
    candidates, _ = replay(recording, held)
    assert candidates and "0.md" not in {candidate.uri for candidate in candidates}


def test_another_format_is_refused(held: SearchedLibrary) -> None:
    _, recording = run_recorded(PROFILES["hybrid"], asking(held, "apple").query, held)
    with pytest.raises(ConfigurationError, match="has format 2, this version reads 1"):
        read_recording(replace(recording, format=2).to_json())
