"""The built-in profiles. A profile is a value: print it, store it, write your own in TOML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from recto.errors import InvalidArgument
from recto.retrieval.stage import Profile, Refine
from recto.retrieval.stages.adaptive import BalancedFusion
from recto.retrieval.stages.commits import CapCommits
from recto.retrieval.stages.context import ContextSmoothing
from recto.retrieval.stages.fuse import RankFusion, ScoreFusion, SingleChannel
from recto.retrieval.stages.graph import NeighbourBoost
from recto.retrieval.stages.recall import DenseRecall, LexicalRecall
from recto.retrieval.stages.refine import CapPerDocument, MergeSpans

_SHAPE: tuple[Refine, ...] = (CapPerDocument(), MergeSpans(), CapCommits())
_BOTH = (LexicalRecall(), DenseRecall())


def _hybrid() -> Profile:
    return Profile(
        "hybrid",
        recall=_BOTH,
        fuse=BalancedFusion(),
        refine=(ContextSmoothing(), NeighbourBoost(), *_SHAPE),
    )


def _hybrid_rrf() -> Profile:
    return Profile("hybrid_rrf", recall=_BOTH, fuse=RankFusion(dense=0.7, lexical=0.3), refine=_SHAPE)


def _weighted() -> Profile:
    fusion = ScoreFusion(dense=0.75, lexical=0.25, normaliser="min_max")
    return Profile("weighted", recall=_BOTH, fuse=fusion, refine=_SHAPE)


def _lexical_only() -> Profile:
    return Profile("lexical_only", recall=(LexicalRecall(in_small=0),), fuse=SingleChannel(), refine=_SHAPE)


def _dense_only() -> Profile:
    return Profile("dense_only", recall=(DenseRecall(),), fuse=SingleChannel(), refine=_SHAPE)


def _code() -> Profile:
    from recto.retrieval.stages.code import CodeDense, CodeFusion, Fragments, ReadCode, TestsBelow
    from recto.retrieval.stages.symbols import PlaceRecall, SymbolRecall

    return Profile(
        "code",
        expand=(ReadCode(),),
        recall=(LexicalRecall(), SymbolRecall(), PlaceRecall(), CodeDense()),
        fuse=CodeFusion(),
        refine=(Fragments(), TestsBelow(), CapPerDocument(), CapCommits()),
    )


def _memory() -> Profile:
    from recto.retrieval.stages.channels import TypoRecall
    from recto.retrieval.stages.memory import CanonicalRecall, MemoryFusion, MemoryRecency, PinnedRecall, Validity

    return Profile(
        "memory",
        recall=(LexicalRecall(300), DenseRecall(300), TypoRecall(), PinnedRecall(), CanonicalRecall()),
        fuse=MemoryFusion(),
        refine=(ContextSmoothing(sequence=(0.4, 0.25, 0.2, 0.1)), MemoryRecency(), Validity(), *_SHAPE),
    )


class _BuiltIn(Mapping[str, Profile]):
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


def profile_named(name: str) -> Profile:
    try:
        return PROFILES[name]
    except KeyError:
        raise InvalidArgument(
            f"there is no profile {name}", hint=f"choose one of: {', '.join(sorted(PROFILES))}"
        ) from None
