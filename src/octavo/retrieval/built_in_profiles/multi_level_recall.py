"""The profile that looks for chunks, sections and files at once."""

from __future__ import annotations

from octavo.fast_dataclass import replace
from octavo.retrieval.built_in_profiles.notes_and_documentation import HYBRID
from octavo.retrieval.stages.summary_recall_and_fusion import FileRecall, LevelFusion, SectionRecall

# Not calibrated: its scores are sums of reciprocal ranks, which say nothing of how near a passage is.
MULTI_VECTOR = replace(
    HYBRID,
    name="multi_vector",
    recall=(*HYBRID.recall, SectionRecall(), FileRecall()),
    fuse=LevelFusion(),
    calibration=None,
)
