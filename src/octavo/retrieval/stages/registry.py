"""Every stage a profile can name, by shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.retrieval.stages.adaptive import BalancedFusion
from octavo.retrieval.stages.bridges import Bridges
from octavo.retrieval.stages.budget import TokenBudget
from octavo.retrieval.stages.caps import CapPerSection
from octavo.retrieval.stages.channels import PhraseRecall, TitleRecall, TypoRecall
from octavo.retrieval.stages.clusters import ClusterRecall
from octavo.retrieval.stages.code import CodeDense, CodeFusion, Fragments, ReadCode, TestsBelow
from octavo.retrieval.stages.commits import CapCommits
from octavo.retrieval.stages.context import ContextSmoothing
from octavo.retrieval.stages.copies import ExactDuplicates
from octavo.retrieval.stages.declarations import CommentsBelow, DefinitionsFirst, OnePerDeclaration
from octavo.retrieval.stages.diversity import MarginalRelevance
from octavo.retrieval.stages.duplicates import MinHashDuplicates, NgramDuplicates, SemanticDuplicates
from octavo.retrieval.stages.exact import ExactMatch
from octavo.retrieval.stages.expand import ConceptExpansion, FeedbackRecall, HypothesisRecall, QueryIntent
from octavo.retrieval.stages.floor import ConfidenceFloor
from octavo.retrieval.stages.fuse import RankFusion, ScoreFusion, SingleChannel
from octavo.retrieval.stages.graph import CommunityBoost, GraphExpansion, GraphRecall
from octavo.retrieval.stages.intents import IntentFusion
from octavo.retrieval.stages.joined import JoinedFusion
from octavo.retrieval.stages.language import Hypothesise, ModelExpansion, ModelRerank
from octavo.retrieval.stages.levels import FileRecall, LevelFusion, SectionRecall
from octavo.retrieval.stages.links import LinksBelow
from octavo.retrieval.stages.matched import MatchedBy
from octavo.retrieval.stages.memory import CanonicalRecall, MemoryFusion, MemoryRecency, PinnedRecall, Validity
from octavo.retrieval.stages.named import NamedFirst
from octavo.retrieval.stages.near_copies import NearCopies
from octavo.retrieval.stages.neighbours import NeighbourBoost
from octavo.retrieval.stages.outline import OutlineRecall
from octavo.retrieval.stages.parents import ParentExpansion
from octavo.retrieval.stages.recall import DenseRecall, LexicalRecall
from octavo.retrieval.stages.recency import RecencyDecay, RecencyTiers, TimeRange
from octavo.retrieval.stages.refine import CapPerDocument, MergeSpans
from octavo.retrieval.stages.rerank import Rerank
from octavo.retrieval.stages.symbols import PlaceRecall, SymbolRecall

EXPAND: Mapping[str, type[Any]] = {
    "intent": QueryIntent,
    "concepts": ConceptExpansion,
    "read_code": ReadCode,
    "hyde": Hypothesise,
    "subqueries": ModelExpansion,
}

RECALL: Mapping[str, type[Any]] = {
    "lexical": LexicalRecall,
    "dense": DenseRecall,
    "dense_clusters": ClusterRecall,
    "dense_outline": OutlineRecall,
    "dense_feedback": FeedbackRecall,
    "dense_hypothesis": HypothesisRecall,
    "dense_sections": SectionRecall,
    "dense_files": FileRecall,
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
    "intent_fusion": IntentFusion,
    "level_fusion": LevelFusion,
    "joined_fusion": JoinedFusion,
    "code_fusion": CodeFusion,
    "memory_fusion": MemoryFusion,
    "single": SingleChannel,
}

REFINE: Mapping[str, type[Any]] = {
    "context": ContextSmoothing,
    "neighbour_boost": NeighbourBoost,
    "community_boost": CommunityBoost,
    "bridges": Bridges,
    "graph_expansion": GraphExpansion,
    "recency_tiers": RecencyTiers,
    "recency_decay": RecencyDecay,
    "time_range": TimeRange,
    "memory_recency": MemoryRecency,
    "validity": Validity,
    "links_below": LinksBelow,
    "named_first": NamedFirst,
    "rerank": Rerank,
    "llm_rerank": ModelRerank,
    "fragments": Fragments,
    "tests_below": TestsBelow,
    "comments_below": CommentsBelow,
    "definitions_first": DefinitionsFirst,
    "one_per_declaration": OnePerDeclaration,
    "exact_match": ExactMatch,
    "matched_by": MatchedBy,
    "confidence_floor": ConfidenceFloor,
    "exact_duplicates": ExactDuplicates,
    "near_copies": NearCopies,
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
