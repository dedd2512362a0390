"""Compressed answers: fewer hits, each with something of its own to say."""

from __future__ import annotations

from dataclasses import replace

from recto.retrieval.stage import Profile, Refine
from recto.retrieval.stages.duplicates import SemanticDuplicates
from recto.retrieval.stages.floor import ConfidenceFloor

MIN_SCORE = 0.3
SIMILARITY_THRESHOLD = 0.85


def compressed(
    profile: Profile, min_score: float | None = MIN_SCORE, similarity_threshold: float | None = SIMILARITY_THRESHOLD
) -> Profile:
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
