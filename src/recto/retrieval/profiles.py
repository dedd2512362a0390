"""The built-in profiles. A profile is a value: print it, store it, write your own in TOML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from recto.errors import InvalidArgument

if TYPE_CHECKING:
    from recto.retrieval.stage import Profile, Recall, Refine

# A stage is imported by the profiles that have it: whoever only names a profile loads none.


def _shape() -> tuple[Refine, ...]:
    from recto.retrieval.stages.commits import CapCommits
    from recto.retrieval.stages.refine import CapPerDocument, MergeSpans

    return CapPerDocument(), MergeSpans(), CapCommits()


def _both() -> tuple[Recall, ...]:
    from recto.retrieval.stages.recall import DenseRecall, LexicalRecall

    return LexicalRecall(), DenseRecall()


def _hybrid() -> Profile:
    from recto.retrieval.stage import Profile
    from recto.retrieval.stages.adaptive import BalancedFusion
    from recto.retrieval.stages.context import ContextSmoothing
    from recto.retrieval.stages.graph import NeighbourBoost

    return Profile(
        "hybrid",
        recall=_both(),
        fuse=BalancedFusion(),
        refine=(ContextSmoothing(), NeighbourBoost(), *_shape()),
    )


def _hybrid_rrf() -> Profile:
    from recto.retrieval.stage import Profile
    from recto.retrieval.stages.fuse import RankFusion

    return Profile("hybrid_rrf", recall=_both(), fuse=RankFusion(dense=0.7, lexical=0.3), refine=_shape())


def _weighted() -> Profile:
    from recto.retrieval.stage import Profile
    from recto.retrieval.stages.fuse import ScoreFusion

    fusion = ScoreFusion(dense=0.75, lexical=0.25, normaliser="min_max")
    return Profile("weighted", recall=_both(), fuse=fusion, refine=_shape())


def _lexical_only() -> Profile:
    from recto.retrieval.stage import Profile
    from recto.retrieval.stages.fuse import SingleChannel
    from recto.retrieval.stages.recall import LexicalRecall

    return Profile("lexical_only", recall=(LexicalRecall(in_small=0),), fuse=SingleChannel(), refine=_shape())


def _dense_only() -> Profile:
    from recto.retrieval.stage import Profile
    from recto.retrieval.stages.fuse import SingleChannel
    from recto.retrieval.stages.recall import DenseRecall

    return Profile("dense_only", recall=(DenseRecall(),), fuse=SingleChannel(), refine=_shape())


def _code() -> Profile:
    from recto.retrieval.stage import Profile
    from recto.retrieval.stages.code import CodeDense, CodeFusion, Fragments, ReadCode, TestsBelow
    from recto.retrieval.stages.commits import CapCommits
    from recto.retrieval.stages.recall import LexicalRecall
    from recto.retrieval.stages.refine import CapPerDocument
    from recto.retrieval.stages.symbols import PlaceRecall, SymbolRecall

    return Profile(
        "code",
        expand=(ReadCode(),),
        recall=(LexicalRecall(), SymbolRecall(), PlaceRecall(), CodeDense()),
        fuse=CodeFusion(),
        refine=(Fragments(), TestsBelow(), CapPerDocument(), CapCommits()),
    )


def _memory() -> Profile:
    from recto.retrieval.stage import Profile
    from recto.retrieval.stages.channels import TypoRecall
    from recto.retrieval.stages.context import ContextSmoothing
    from recto.retrieval.stages.memory import CanonicalRecall, MemoryFusion, MemoryRecency, PinnedRecall, Validity
    from recto.retrieval.stages.recall import DenseRecall, LexicalRecall

    return Profile(
        "memory",
        recall=(LexicalRecall(300), DenseRecall(300), TypoRecall(), PinnedRecall(), CanonicalRecall()),
        fuse=MemoryFusion(),
        refine=(ContextSmoothing(sequence=(0.4, 0.25, 0.2, 0.1)), MemoryRecency(), Validity(), *_shape()),
    )


class _BuiltIn(Mapping[str, "Profile"]):
    """Each is made when it is first asked for: a search by one does not load the stages of the others."""

    def __init__(self, makers: Mapping[str, Callable[[], Profile]]) -> None:
        self._makers = makers
        self._made: dict[str, Profile] = {}

    def __getitem__(self, name: str) -> Profile:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


PROFILES: Mapping[str, Profile] = _BuiltIn(
    {
        "hybrid": _hybrid,
        "hybrid_rrf": _hybrid_rrf,
        "weighted": _weighted,
        "lexical_only": _lexical_only,
        "code": _code,
        "memory": _memory,
        "dense_only": _dense_only,
    }
)

DEFAULT_PROFILE = "hybrid"
MEMORY_PROFILE = "memory"
BY_WORDS_ALONE = frozenset({"lexical_only"})
"""The built-in profiles without a channel for meaning, known before any of their stages is."""


def profile_named(name: str) -> Profile:
    try:
        return PROFILES[name]
    except KeyError:
        raise InvalidArgument(
            f"there is no profile {name}", hint=f"choose one of: {', '.join(sorted(PROFILES))}"
        ) from None
