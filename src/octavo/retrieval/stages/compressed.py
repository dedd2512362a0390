"""Compressed answers: a profile with a confidence floor and without near-duplicate hits."""

from __future__ import annotations

from octavo.dataclass import replace
from octavo.retrieval.stage import Refine, RetrievalProfile
from octavo.retrieval.stages.confidence_floor import ConfidenceFloor
from octavo.retrieval.stages.duplicates import SemanticDuplicates

MIN_SCORE = 0.3
SIMILARITY_THRESHOLD = 0.85


def compressed(
    profile: RetrievalProfile,
    min_score: float | None = MIN_SCORE,
    similarity_threshold: float | None = SIMILARITY_THRESHOLD,
) -> RetrievalProfile:
    """The profile with a floor under its hits, and without hits that say the same; either is left out when None.

    Both are cosines. Where a profile has none, the floor is a share of the best score.
    """
    added: list[Refine] = []
    if min_score is not None:
        meant = profile.embeds
        floor = ConfidenceFloor(least=min_score, channel="dense") if meant else ConfidenceFloor(share=min_score)
        added.append(floor)
    if similarity_threshold is not None:
        added.append(SemanticDuplicates(threshold=similarity_threshold))
    return replace(profile, refine=(*profile.refine, *added))
