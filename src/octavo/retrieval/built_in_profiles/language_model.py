"""Profiles that ask a language model, where one is configured; and that of a cross-encoder over meaning alone."""

from __future__ import annotations

from octavo.fast_dataclass import replace
from octavo.retrieval.built_in_profiles.cross_encoder import before_shaping
from octavo.retrieval.built_in_profiles.notes_and_documentation import HYBRID, SHOWN
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.hypothetical_answer_recall import HypothesisRecall
from octavo.retrieval.stages.language_model_stages import Hypothesise, ModelExpansion, ModelRerank
from octavo.retrieval.stages.lexical_and_dense_recall import DenseRecall, LexicalRecall
from octavo.retrieval.stages.reranking import Rerank
from octavo.retrieval.stages.score_and_rank_fusion import SingleChannel


def hypothesised(profile: RetrievalProfile) -> RetrievalProfile:
    """The profile with the question's vector from passages that might answer it.

    What its scores mean was learnt from the vectors of questions, so they are only good for ordering.
    """
    if any(isinstance(stage, Hypothesise) for stage in profile.expand):
        return profile
    return replace(profile, expand=(*profile.expand, Hypothesise()), calibration=None)


def judged(profile: RetrievalProfile) -> RetrievalProfile:
    """The profile with its best chunks read again by a language model."""
    if any(isinstance(stage, ModelRerank) for stage in profile.refine):
        return profile
    return before_shaping(profile, ModelRerank())


HYDE_HYBRID = replace(hypothesised(HYBRID), name="hyde_hybrid")
LLM_RERANK = replace(judged(HYBRID), name="llm_rerank")
LLM_EXPAND = replace(
    HYBRID,
    name="llm_expand",
    expand=(ModelExpansion(),),
    recall=(LexicalRecall(), HypothesisRecall()),
    calibration=None,
)
DENSE_CROSS_RERANK = RetrievalProfile(
    "dense_cross_rerank",
    recall=(DenseRecall(100),),
    fuse=SingleChannel(),
    refine=(Rerank(most=100, keep=20), *SHOWN),
)
