"""Every stage a profile can name, by shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recto.retrieval.stages.adaptive import BalancedFusion
from recto.retrieval.stages.budget import TokenBudget
from recto.retrieval.stages.caps import CapPerSection
from recto.retrieval.stages.channels import PhraseRecall, TitleRecall, TypoRecall
from recto.retrieval.stages.clusters import ClusterRecall
from recto.retrieval.stages.code import CodeDense, CodeFusion, Fragments, ReadCode, TestsBelow
from recto.retrieval.stages.commits import CapCommits
from recto.retrieval.stages.context import ContextSmoothing
from recto.retrieval.stages.diversity import MarginalRelevance
from recto.retrieval.stages.duplicates import ExactDuplicates, MinHashDuplicates, NgramDuplicates, SemanticDuplicates
from recto.retrieval.stages.expand import ConceptExpansion, FeedbackRecall, HypothesisRecall, QueryIntent
from recto.retrieval.stages.floor import ConfidenceFloor
from recto.retrieval.stages.fuse import RankFusion, ScoreFusion, SingleChannel
from recto.retrieval.stages.graph import CommunityBoost, GraphRecall, NeighbourBoost
from recto.retrieval.stages.joined import JoinedFusion
from recto.retrieval.stages.memory import CanonicalRecall, MemoryFusion, MemoryRecency, PinnedRecall, Validity
from recto.retrieval.stages.outline import OutlineRecall
from recto.retrieval.stages.parents import ParentExpansion
from recto.retrieval.stages.recall import DenseRecall, LexicalRecall
from recto.retrieval.stages.recency import RecencyDecay, RecencyTiers, TimeRange
from recto.retrieval.stages.refine import CapPerDocument, MergeSpans
from recto.retrieval.stages.rerank import Rerank
from recto.retrieval.stages.symbols import PlaceRecall, SymbolRecall

EXPAND: Mapping[str, type[Any]] = {"intent": QueryIntent, "concepts": ConceptExpansion, "read_code": ReadCode}

RECALL: Mapping[str, type[Any]] = {
    "lexical": LexicalRecall,
    "dense": DenseRecall,
    "dense_clusters": ClusterRecall,
    "dense_outline": OutlineRecall,
    "dense_feedback": FeedbackRecall,
    "dense_hypothesis": HypothesisRecall,
    "phrase": PhraseRecall,
    "title": TitleRecall,
    "typos": TypoRecall,
    "graph": GraphRecall,
    "pinned": PinnedRecall,
    "canonical": CanonicalRecall,
    "dense_code": CodeDense,
    "symbols": SymbolRecall,
    "places": PlaceRecall,
}

FUSE: Mapping[str, type[Any]] = {
    "balanced_fusion": BalancedFusion,
    "score_fusion": ScoreFusion,
    "rank_fusion": RankFusion,
    "joined_fusion": JoinedFusion,
    "code_fusion": CodeFusion,
    "memory_fusion": MemoryFusion,
    "single": SingleChannel,
}

REFINE: Mapping[str, type[Any]] = {
    "context": ContextSmoothing,
    "neighbour_boost": NeighbourBoost,
    "community_boost": CommunityBoost,
    "recency_tiers": RecencyTiers,
    "recency_decay": RecencyDecay,
    "time_range": TimeRange,
    "memory_recency": MemoryRecency,
    "validity": Validity,
    "rerank": Rerank,
    "fragments": Fragments,
    "tests_below": TestsBelow,
    "confidence_floor": ConfidenceFloor,
    "exact_duplicates": ExactDuplicates,
    "ngram_duplicates": NgramDuplicates,
    "minhash_duplicates": MinHashDuplicates,
    "semantic_duplicates": SemanticDuplicates,
    "mmr": MarginalRelevance,
    "cap_per_document": CapPerDocument,
    "cap_per_section": CapPerSection,
    "cap_commits": CapCommits,
    "parent_expansion": ParentExpansion,
    "merge_spans": MergeSpans,
    "token_budget": TokenBudget,
}

SHAPES: Mapping[str, Mapping[str, type[Any]]] = {"expand": EXPAND, "recall": RECALL, "fuse": FUSE, "refine": REFINE}
"""In the order in which a search runs them."""
