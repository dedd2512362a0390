"""The built-in profiles. A profile is a value: print it, store it, write your own in TOML."""

from __future__ import annotations

from collections.abc import Mapping

from recto.errors import InvalidArgument
from recto.retrieval.stage import Profile, Refine
from recto.retrieval.stages.adaptive import BalancedFusion
from recto.retrieval.stages.channels import TypoRecall
from recto.retrieval.stages.code import CodeDense, CodeFusion, Fragments, ReadCode, TestsBelow
from recto.retrieval.stages.commits import CapCommits
from recto.retrieval.stages.context import ContextSmoothing
from recto.retrieval.stages.fuse import RankFusion, ScoreFusion, SingleChannel
from recto.retrieval.stages.graph import NeighbourBoost
from recto.retrieval.stages.memory import CanonicalRecall, MemoryFusion, MemoryRecency, PinnedRecall, Validity
from recto.retrieval.stages.recall import DenseRecall, LexicalRecall
from recto.retrieval.stages.refine import CapPerDocument, MergeSpans
from recto.retrieval.stages.symbols import PlaceRecall, SymbolRecall

_SHAPE: tuple[Refine, ...] = (CapPerDocument(), MergeSpans(), CapCommits())
_BOTH = (LexicalRecall(), DenseRecall())

PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(
            "hybrid",
            recall=_BOTH,
            fuse=BalancedFusion(),
            refine=(ContextSmoothing(), NeighbourBoost(), *_SHAPE),
        ),
        Profile("hybrid_rrf", recall=_BOTH, fuse=RankFusion(dense=0.7, lexical=0.3), refine=_SHAPE),
        Profile(
            "weighted", recall=_BOTH, fuse=ScoreFusion(dense=0.75, lexical=0.25, normaliser="min_max"), refine=_SHAPE
        ),
        Profile("lexical_only", recall=(LexicalRecall(in_small=0),), fuse=SingleChannel(), refine=_SHAPE),
        Profile(
            "code",
            expand=(ReadCode(),),
            recall=(LexicalRecall(), SymbolRecall(), PlaceRecall(), CodeDense()),
            fuse=CodeFusion(),
            refine=(Fragments(), TestsBelow(), CapPerDocument()),
        ),
        Profile(
            "memory",
            recall=(LexicalRecall(300), DenseRecall(300), TypoRecall(), PinnedRecall(), CanonicalRecall()),
            fuse=MemoryFusion(),
            refine=(
                ContextSmoothing(sequence=(0.4, 0.25, 0.2, 0.1)),
                MemoryRecency(),
                Validity(),
                *_SHAPE,
            ),
        ),
        Profile("dense_only", recall=(DenseRecall(),), fuse=SingleChannel(), refine=_SHAPE),
    )
}

DEFAULT_PROFILE = "hybrid"
MEMORY_PROFILE = "memory"


def profile_named(name: str) -> Profile:
    try:
        return PROFILES[name]
    except KeyError:
        raise InvalidArgument(
            f"there is no profile {name}", hint=f"choose one of: {', '.join(sorted(PROFILES))}"
        ) from None
