"""The built-in profiles. A profile is a value: print it, store it, write your own in TOML."""

from __future__ import annotations

from collections.abc import Mapping

from recto.errors import InvalidArgument
from recto.retrieval.stage import Profile, Refine
from recto.retrieval.stages.adaptive import Balance
from recto.retrieval.stages.context import ContextSmoothing
from recto.retrieval.stages.fuse import RankFusion, ScoreFusion, SingleChannel
from recto.retrieval.stages.recall import DenseRecall, LexicalRecall
from recto.retrieval.stages.refine import CapPerDocument, MergeSpans

_SHAPE: tuple[Refine, ...] = (CapPerDocument(), MergeSpans())
_BOTH = (LexicalRecall(), DenseRecall())

PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(
            "hybrid",
            recall=_BOTH,
            fuse=ScoreFusion(balance=Balance()),
            refine=(ContextSmoothing(), *_SHAPE),
        ),
        Profile("hybrid_rrf", recall=_BOTH, fuse=RankFusion(dense=0.7, lexical=0.3), refine=_SHAPE),
        Profile(
            "weighted", recall=_BOTH, fuse=ScoreFusion(dense=0.75, lexical=0.25, normaliser="min_max"), refine=_SHAPE
        ),
        Profile("lexical_only", recall=(LexicalRecall(),), fuse=SingleChannel(), refine=_SHAPE),
        Profile("dense_only", recall=(DenseRecall(),), fuse=SingleChannel(), refine=_SHAPE),
    )
}

DEFAULT_PROFILE = "hybrid"


def profile_named(name: str) -> Profile:
    try:
        return PROFILES[name]
    except KeyError:
        raise InvalidArgument(
            f"there is no profile {name}", hint=f"choose one of: {', '.join(sorted(PROFILES))}"
        ) from None
