"""The pipeline of ragdocs: expansion, words, meaning and graph, fused by rank, recency, no repetitions, sections."""

from __future__ import annotations

from typing import Any

from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.confidence_floor import ConfidenceFloor
from octavo.retrieval.stages.document_cap_and_span_merging import CapPerDocument
from octavo.retrieval.stages.exact_duplicate_removal import ExactDuplicates
from octavo.retrieval.stages.lexical_and_dense_recall import DenseRecall, LexicalRecall
from octavo.retrieval.stages.linked_document_boost import NeighbourBoost
from octavo.retrieval.stages.registry import stage_of
from octavo.retrieval.stages.score_and_rank_fusion import RankFusion
from octavo.retrieval.stages.semantic_duplicate_removal import SemanticDuplicates


def _stage(shape: str, name: str, **fields: Any) -> Any:
    kind = stage_of(shape, name)
    assert kind is not None, name
    return kind(**fields)


# The least share of the best is small: ranks that were fused lie close together.
RAGDOCS = RetrievalProfile(
    "ragdocs",
    expand=(_stage("expand", "concepts"),),
    recall=(LexicalRecall(), DenseRecall(), _stage("recall", "graph", hops=1, decay=0.5)),
    fuse=RankFusion(k=60, weights=(("graph", 0.5),)),
    refine=(
        _stage("refine", "recency_tiers"),
        _stage("refine", "community_boost"),
        NeighbourBoost(),
        ConfidenceFloor(share=0.05),
        ExactDuplicates(),
        _stage("refine", "ngram_duplicates"),
        SemanticDuplicates(0.95),
        CapPerDocument(),
        _stage("refine", "parent_expansion"),
    ),
)
