"""Every stage a profile can name, by shape: the core's, and those that packages add."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from octavo.errors import ConfigurationError
from octavo.plugins import STAGES, has, load, names
from octavo.retrieval.stages.code_query_stages import CodeDense, CodeFusion, Fragments, ReadCode
from octavo.retrieval.stages.confidence_floor import ConfidenceFloor
from octavo.retrieval.stages.declaration_folding_and_ordering import CommentsBelow, DefinitionsFirst
from octavo.retrieval.stages.document_cap_and_span_merging import CapPerDocument, MergeSpans
from octavo.retrieval.stages.document_name_promotion import NamedFirst
from octavo.retrieval.stages.exact_duplicate_removal import ExactDuplicates
from octavo.retrieval.stages.exact_match_boost import ExactMatch
from octavo.retrieval.stages.git_commit_caps import CapCommits
from octavo.retrieval.stages.hypothetical_answer_recall import HypothesisRecall
from octavo.retrieval.stages.language_model_stages import Hypothesise, ModelExpansion, ModelRerank
from octavo.retrieval.stages.lexical_and_dense_recall import DenseRecall, LexicalRecall
from octavo.retrieval.stages.lexical_channel_joining import JoinedFusion
from octavo.retrieval.stages.link_only_chunk_demotion import LinksBelow
from octavo.retrieval.stages.linked_document_boost import NeighbourBoost
from octavo.retrieval.stages.match_kind_filter import MatchedBy
from octavo.retrieval.stages.memory_stages import CanonicalRecall, MemoryFusion, MemoryRecency, PinnedRecall, Validity
from octavo.retrieval.stages.named_definition_boost import Definitions
from octavo.retrieval.stages.near_copy_demotion import NearCopies
from octavo.retrieval.stages.neighbor_score_smoothing import ContextSmoothing
from octavo.retrieval.stages.query_weighted_fusion import BalancedFusion
from octavo.retrieval.stages.reranking import Rerank
from octavo.retrieval.stages.score_and_rank_fusion import RankFusion, ScoreFusion, SingleChannel
from octavo.retrieval.stages.second_hop_search import Bridges
from octavo.retrieval.stages.semantic_duplicate_removal import SemanticDuplicates
from octavo.retrieval.stages.spelling_corrected_recall import TypoRecall
from octavo.retrieval.stages.summary_recall_and_fusion import FileRecall, LevelFusion, SectionRecall
from octavo.retrieval.stages.symbol_and_path_recall import PlaceRecall, SymbolRecall
from octavo.retrieval.stages.test_code_demotion import TestsBelow
from octavo.retrieval.stages.title_match_boost import TitleWords
from octavo.retrieval.stages.token_budget_cutoff import TokenBudget

EXPAND: Mapping[str, type[Any]] = {
    "read_code": ReadCode,
    "hyde": Hypothesise,
    "subqueries": ModelExpansion,
}

RECALL: Mapping[str, type[Any]] = {
    "lexical": LexicalRecall,
    "dense": DenseRecall,
    "dense_hypothesis": HypothesisRecall,
    "dense_sections": SectionRecall,
    "dense_files": FileRecall,
    "typos": TypoRecall,
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
    "level_fusion": LevelFusion,
    "joined_fusion": JoinedFusion,
    "code_fusion": CodeFusion,
    "memory_fusion": MemoryFusion,
    "single": SingleChannel,
}

REFINE: Mapping[str, type[Any]] = {
    "title_words": TitleWords,
    "context": ContextSmoothing,
    "neighbour_boost": NeighbourBoost,
    "bridges": Bridges,
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
    "exact_match": ExactMatch,
    "definitions": Definitions,
    "matched_by": MatchedBy,
    "confidence_floor": ConfidenceFloor,
    "exact_duplicates": ExactDuplicates,
    "near_copies": NearCopies,
    "semantic_duplicates": SemanticDuplicates,
    "cap_per_document": CapPerDocument,
    "cap_commits": CapCommits,
    "merge_spans": MergeSpans,
    "token_budget": TokenBudget,
}

SHAPES: Mapping[str, Mapping[str, type[Any]]] = {"expand": EXPAND, "recall": RECALL, "fuse": FUSE, "refine": REFINE}
"""In the order in which a search runs them."""


def stage_of(shape: str, name: str) -> type[Any] | None:
    kind = SHAPES[shape].get(name)
    if kind is None and has(STAGES, name):
        kind = load(STAGES, name)
    return kind if callable(getattr(kind, shape, None)) else None


def stages(shape: str) -> dict[str, type[Any]]:
    """Every stage of a shape. A plugin that cannot be imported is left out: `doctor` names it."""
    known = dict(SHAPES[shape])
    for name in names(STAGES):
        with suppress(ConfigurationError):
            if (kind := stage_of(shape, name)) is not None:
                known.setdefault(name, kind)
    return known
