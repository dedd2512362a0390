"""The profile for questions that need two passages: the second is named by the first."""

from __future__ import annotations

from octavo.fast_dataclass import replace
from octavo.retrieval.built_in_profiles.notes_and_documentation import HYBRID
from octavo.retrieval.stages.document_name_promotion import NamedFirst
from octavo.retrieval.stages.second_hop_search import Bridges

_AT = next(place for place, stage in enumerate(HYBRID.refine) if isinstance(stage, NamedFirst))

# Not calibrated: what is reached by its name need not be like the question, so a floor would remove it.
MULTI_HOP = replace(
    HYBRID, name="multi_hop", refine=(*HYBRID.refine[:_AT], Bridges(), *HYBRID.refine[_AT:]), calibration=None
)
