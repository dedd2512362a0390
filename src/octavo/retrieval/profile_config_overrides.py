"""A retrieval profile with the configuration's numbers in place of its own: depths, weights, caps, time, clusters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import Any

from octavo.errors import ConfigurationError
from octavo.fast_dataclass import replace
from octavo.retrieval.built_in_profiles.cross_encoder import before_shaping
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.document_cap_and_span_merging import CapPerDocument
from octavo.retrieval.stages.registry import stage_of
from octavo.retrieval.stages.score_and_rank_fusion import RankFusion

_DEPTHS = {"k_dense": "dense", "k_sparse": "lexical"}
_OF_RANKS = {"rrf_k": "k", "rrf_dense_weight": "dense", "rrf_sparse_weight": "lexical"}


def tuned(profile: RetrievalProfile, given: Mapping[str, Any], *, strict: bool) -> RetrievalProfile:
    """`given` are settings by their names, and `tier`, the days and the factor of what is new.

    With `strict`, one that this profile has no place for is refused; a profile that only a call names takes what fits.
    """
    if ranks := {_OF_RANKS[name]: given[name] for name in _OF_RANKS if name in given}:
        if isinstance(profile.fuse, RankFusion):
            profile = replace(profile, fuse=replace(profile.fuse, **ranks))
        elif strict:
            name = next(name for name in _OF_RANKS if name in given)
            raise ConfigurationError(
                f"retrieval.{name} weighs ranks, and the profile {profile.name} does not fuse by ranks",
                hint='set retrieval.profile to "hybrid_rrf", or leave it out',
            )
    if "cluster_top_n" in given:
        clusters = _stage("recall", "dense_clusters", top=given["cluster_top_n"])
        profile = replace(
            profile, recall=tuple(clusters if stage.name == "dense" else stage for stage in profile.recall)
        )
    depths = {_DEPTHS[name]: given[name] for name in _DEPTHS if name in given}
    profile = replace(profile, recall=tuple(_as_deep(stage, depths) for stage in profile.recall))
    if "tier" in given:
        # Not calibrated: what a passage's age is worth says nothing of how near it is.
        profile = before_shaping(profile, _stage("refine", "recency_tiers", tiers=(given["tier"],)))
        profile = replace(profile, calibration=None)
    return replace(profile, refine=(*_varied(profile, given),))


def _varied(profile: RetrievalProfile, given: Mapping[str, Any]) -> Iterable[Any]:
    """The refinements, with what makes hits differ from each other where hits of one document are counted."""
    more: list[Any] = []
    if "diversity_strategy" in given:
        # Without the package that estimates, the few candidates are compared exactly.
        alike = "minhash_duplicates" if find_spec("rensa") else "ngram_duplicates"
        more += [_stage("refine", alike), _stage("refine", "mmr")]
    if "max_per_section" in given:
        more.append(_stage("refine", "cap_per_section", limit=given["max_per_section"]))
    at = next(
        (place for place, stage in enumerate(profile.refine) if isinstance(stage, CapPerDocument)), len(profile.refine)
    )
    return (*profile.refine[:at], *more, *profile.refine[at:])


def _as_deep(stage: Any, depths: Mapping[str, int]) -> Any:
    depth = depths.get(stage.name)
    if depth is None or "depth" not in stage.__dataclass_fields__:
        return stage
    return replace(stage, depth=depth, **({"in_small": 0} if "in_small" in stage.__dataclass_fields__ else {}))


def _stage(shape: str, name: str, **fields: Any) -> Any:
    kind = stage_of(shape, name)
    assert kind is not None, name
    return kind(**fields)
