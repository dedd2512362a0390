"""The profile for notes and documentation whose best chunks a cross-encoder reads again."""

from __future__ import annotations

from octavo.fast_dataclass import replace
from octavo.retrieval.built_in_profiles.notes_and_documentation import HYBRID
from octavo.retrieval.stage import Refine, RetrievalProfile
from octavo.retrieval.stages.reranking import Rerank

# A larger share harms technical questions, and less work harms none: docs/research/reranker.md.
RERANK = Rerank(most=20, share=0.1, characters=9_000, settled=0.5)
_SHAPING = ("exact_match", "named_first", "parent_expansion")


def reranked(profile: RetrievalProfile) -> RetrievalProfile:
    """The profile with a rerank stage before the stages that put names and exact matches first and shape the list.

    A profile that reranks already stays as it is.
    """
    if any(isinstance(stage, Rerank) for stage in profile.refine):
        return profile
    return before_shaping(profile, RERANK)


def before_shaping(profile: RetrievalProfile, stage: Refine) -> RetrievalProfile:
    """The profile with a stage before those that put names and exact matches first and shape the list."""
    stages = profile.refine
    shaping = (place for place, each in enumerate(stages) if each.name in _SHAPING)
    at = next(shaping, len(stages))
    return replace(profile, refine=(*stages[:at], stage, *stages[at:]))


HYBRID_RERANK = replace(reranked(HYBRID), name="hybrid_rerank")
