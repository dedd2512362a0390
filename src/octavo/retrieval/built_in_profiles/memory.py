"""The profile for memories: corrects spelling, recalls pinned and canonical ones, lifts recent ones."""

from __future__ import annotations

from octavo.retrieval.built_in_profiles.notes_and_documentation import CALIBRATION, SHAPE
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.exact_duplicate_removal import ExactDuplicates
from octavo.retrieval.stages.lexical_and_dense_recall import DenseRecall, LexicalRecall
from octavo.retrieval.stages.memory_stages import CanonicalRecall, MemoryFusion, MemoryRecency, PinnedRecall, Validity
from octavo.retrieval.stages.neighbor_score_smoothing import ContextSmoothing
from octavo.retrieval.stages.spelling_corrected_recall import TypoRecall

# Two memories of one text are two memories: each has a history, links and a kind of its own.
_SHAPE = tuple(stage for stage in SHAPE if not isinstance(stage, ExactDuplicates))
# What one remembers next is as near as what came before.
_SHARES = (0.4, 0.25, 0.2, 0.1)

MEMORY = RetrievalProfile(
    "memory",
    recall=(LexicalRecall(300), DenseRecall(300), TypoRecall(), PinnedRecall(), CanonicalRecall()),
    fuse=MemoryFusion(),
    refine=(
        ContextSmoothing(sequence=_SHARES, following=_SHARES, answer=0.0, usual_length=0),
        MemoryRecency(),
        Validity(),
        *_SHAPE,
    ),
    # Fitted on documents, for one scale with their search. What is a memory's answer is decided by `min_similarity`.
    calibration=CALIBRATION.without_floor(),
    scoped=True,
)
