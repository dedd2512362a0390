"""Compressed answers: fewer hits, each with something of its own to say."""

from __future__ import annotations

from recto.retrieval.stage import Refine
from recto.retrieval.stages.duplicates import SemanticDuplicates
from recto.retrieval.stages.floor import ConfidenceFloor


def compressed(min_score: float = 0.3, similarity_threshold: float = 0.85) -> tuple[Refine, ...]:
    """What to add to a profile's refinements: `min_score` is a share of the best, the threshold a cosine."""
    return (ConfidenceFloor(share=min_score), SemanticDuplicates(threshold=similarity_threshold))
