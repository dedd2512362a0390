"""Profiles for notes and documentation: by word, by meaning, and by both."""

from __future__ import annotations

from octavo.algorithms.ranking.relevance_calibration import Calibration
from octavo.retrieval.hit_relevance import BY_WORDS
from octavo.retrieval.stage import Recall, Refine, RetrievalProfile
from octavo.retrieval.stages.declaration_folding_and_ordering import CommentsBelow
from octavo.retrieval.stages.document_cap_and_span_merging import CapPerDocument, MergeSpans
from octavo.retrieval.stages.document_name_promotion import NamedFirst
from octavo.retrieval.stages.exact_duplicate_removal import ExactDuplicates
from octavo.retrieval.stages.exact_match_boost import ExactMatch
from octavo.retrieval.stages.git_commit_caps import CapCommits
from octavo.retrieval.stages.lexical_and_dense_recall import DenseRecall, LexicalRecall
from octavo.retrieval.stages.link_only_chunk_demotion import LinksBelow
from octavo.retrieval.stages.linked_document_boost import NeighbourBoost
from octavo.retrieval.stages.named_definition_boost import Definitions
from octavo.retrieval.stages.near_copy_demotion import NearCopies
from octavo.retrieval.stages.neighbor_score_smoothing import ContextSmoothing
from octavo.retrieval.stages.query_weighted_fusion import BalancedFusion
from octavo.retrieval.stages.score_and_rank_fusion import RankFusion, ScoreFusion, SingleChannel
from octavo.retrieval.stages.test_code_demotion import TestsBelow
from octavo.retrieval.stages.title_match_boost import TitleWords

SHOWN: tuple[Refine, ...] = (ExactDuplicates(among=20), NearCopies(), CapPerDocument(), MergeSpans(), CapCommits())

SHAPE: tuple[Refine, ...] = (ExactMatch(), *SHOWN)
"""What ends most profiles: exact matches first, copies once, few chunks of a document, neighbours merged."""

SMOOTHING: tuple[Refine, ...] = (ContextSmoothing(), NeighbourBoost())
"""What judges single chunks by their surroundings, before hits are capped and merged."""

TESTS_BELOW = TestsBelow(0.2, ahead=1.2, files_alone=True)
"""Beside notes, tests alone stand in the way of what they test."""

_BOTH: tuple[Recall, ...] = (LexicalRecall(), DenseRecall())

# By scripts/fit_calibration.py: docs/research/scores.md.
CALIBRATION = Calibration(
    bias=-15.796,
    share=8.262,
    cosine=8.017,
    words=1.047,
    lead=13.791,
    title=1.371,
    exact=4.078,
    floor=0.015,
    encoder="octavo-encoder-2",
    code=Calibration(
        bias=-9.781,
        share=3.04,
        cosine=5.915,
        words=2.352,
        lead=5.373,
        exact=0.415,
        floor=0.014,
        ends=0.05,
        encoder="octavo-encoder-2",
    ),
)

HYBRID = RetrievalProfile(
    "hybrid",
    recall=_BOTH,
    fuse=BalancedFusion(),
    refine=(
        TitleWords(),
        *SMOOTHING,
        LinksBelow(),
        ExactMatch(),
        TESTS_BELOW,
        CommentsBelow(ahead=1.2),
        Definitions(),
        NamedFirst(),
        *SHOWN,
    ),
    calibration=CALIBRATION,
)
HYBRID_RRF = RetrievalProfile("hybrid_rrf", recall=_BOTH, fuse=RankFusion(dense=0.7, lexical=0.3), refine=SHAPE)
WEIGHTED = RetrievalProfile(
    "weighted", recall=_BOTH, fuse=ScoreFusion(dense=0.75, lexical=0.25, normaliser="raw"), refine=SHAPE
)
LEXICAL_ONLY = RetrievalProfile(
    "lexical_only",
    recall=(LexicalRecall(in_small=0),),
    fuse=SingleChannel(),
    refine=(ExactMatch(), NamedFirst(), *SHOWN),
    calibration=BY_WORDS,
)
# By the cosine alone: near 1 for a passage that says the same, a half at .5; of any encoder, so without a floor.
DENSE_ONLY = RetrievalProfile(
    "dense_only",
    recall=(DenseRecall(),),
    fuse=SingleChannel(),
    refine=SHOWN,
    calibration=Calibration(bias=-9.0, share=4.0, cosine=10.0, words=0.0),
)
