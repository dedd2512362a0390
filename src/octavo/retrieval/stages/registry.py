"""Every stage a profile can name, by shape: the core's, and those that packages add."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from octavo.errors import ConfigurationError
from octavo.plugins import STAGES, has, load, names
from octavo.retrieval.stages.caps_and_merging import CapPerDocument, MergeSpans
from octavo.retrieval.stages.code_recall import CodeDense, CodeFusion, Fragments, ReadCode
from octavo.retrieval.stages.commit_limits import CapCommits
from octavo.retrieval.stages.confidence_floor import ConfidenceFloor
from octavo.retrieval.stages.context_smoothing import ContextSmoothing
from octavo.retrieval.stages.corrected_spelling import TypoRecall
from octavo.retrieval.stages.declarations import CommentsBelow, DefinitionsFirst
from octavo.retrieval.stages.definitions import Definitions
from octavo.retrieval.stages.document_name import NamedFirst
from octavo.retrieval.stages.equal_texts import ExactDuplicates
from octavo.retrieval.stages.exact_match import ExactMatch
from octavo.retrieval.stages.fuse import RankFusion, ScoreFusion, SingleChannel
from octavo.retrieval.stages.hypothetical_answer import HypothesisRecall
from octavo.retrieval.stages.joined_fusion import JoinedFusion
from octavo.retrieval.stages.language_model_stages import Hypothesise, ModelExpansion, ModelRerank
from octavo.retrieval.stages.link_only_chunks import LinksBelow
from octavo.retrieval.stages.linked_boost import NeighbourBoost
from octavo.retrieval.stages.match_kinds import MatchedBy
from octavo.retrieval.stages.memory_boosts import CanonicalRecall, MemoryFusion, MemoryRecency, PinnedRecall, Validity
from octavo.retrieval.stages.near_copies import NearCopies
from octavo.retrieval.stages.query_weighted_fusion import BalancedFusion
from octavo.retrieval.stages.recall import DenseRecall, LexicalRecall
from octavo.retrieval.stages.rerank import Rerank
from octavo.retrieval.stages.second_hop import Bridges
from octavo.retrieval.stages.semantic_duplicates import SemanticDuplicates
from octavo.retrieval.stages.summary_levels import FileRecall, LevelFusion, SectionRecall
from octavo.retrieval.stages.symbols import PlaceRecall, SymbolRecall
from octavo.retrieval.stages.tests_below import TestsBelow
from octavo.retrieval.stages.title_words import TitleWords
from octavo.retrieval.stages.token_budget import TokenBudget

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
    """The stage of a name; None where none of this shape has it."""
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
