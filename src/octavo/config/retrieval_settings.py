"""The settings of a search: its default profile, its limits, and what overrides the profile's own numbers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from octavo.fast_dataclass import dataclass
from octavo.model.field_constraints_and_cli_options import Field

_Count = Annotated[int, Field(ge=1)]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The defaults of a search."""

    profile: Annotated[str, Field("The retrieval profile: built in, or a file of your own.")] = "hybrid"
    limit: Annotated[int, Field("How many hits an answer has at most.", ge=1, le=1000)] = 10
    max_excerpt_chars: Annotated[
        _Count | None, Field("Excerpts are cut to this many characters; unset, they are whole chunks.")
    ] = None
    library_seconds: Annotated[
        float, Field("How long a search waits for a library of `also_search`.", gt=0, le=600)
    ] = 5.0
    count_hits: Annotated[
        bool, Field("Whether shown chunks that await full vectors are counted, so that they get theirs first.")
    ] = True
    hyde_num_samples: Annotated[int, Field("How many passages `--hyde` imagines.", ge=1, le=3)] = 2
    hyde_temperature: Annotated[float, Field("How freely; 0 takes the likeliest words.", ge=0, le=2)] = 0.2
    hyde_pooling: Annotated[Literal["mean", "max"], Field("How their vectors become one.")] = "mean"
    k_dense: Annotated[_Count | None, Field("How many chunks are found by meaning; unset, as the profile says.")] = None
    k_sparse: Annotated[_Count | None, Field("How many are found by words.")] = None
    rrf_k: Annotated[_Count | None, Field("The constant of reciprocal rank fusion (`hybrid_rrf`).")] = None
    rrf_dense_weight: Annotated[float | None, Field("What a rank by meaning weighs in it.", ge=0, le=100)] = None
    rrf_sparse_weight: Annotated[float | None, Field("What a rank by words weighs in it.", ge=0, le=100)] = None
    diversity_strategy: Annotated[
        Literal["exact", "minhash"] | None,
        Field("`minhash` leaves out near repetitions and prefers variety; `exact` and unset leave out equal texts."),
    ] = None
    max_per_section: Annotated[_Count | None, Field("How many hits one section gives at most.")] = None
    temporal_boost_enabled: Annotated[bool, Field("Whether documents changed lately count for more.")] = False
    temporal_boost_days: Annotated[float, Field("What lately is, in days.", gt=0, le=36_500)] = 30.0
    temporal_boost_factor: Annotated[float, Field("How much more.", ge=1, le=100)] = 1.5
    cluster_enabled: Annotated[
        bool, Field("Whether only the clusters nearest to a query are searched by meaning (`octavo cluster build`).")
    ] = False
    cluster_top_n: Annotated[_Count, Field("How many of them.")] = 5

    @property
    def tuning(self) -> dict[str, Any]:
        """The settings that take the place of a profile's own numbers; none where no such setting was made."""
        numbers = ("k_dense", "k_sparse", "rrf_k", "rrf_dense_weight", "rrf_sparse_weight", "max_per_section")
        given = {name: value for name in numbers if (value := getattr(self, name)) is not None}
        if self.diversity_strategy == "minhash":
            given["diversity_strategy"] = self.diversity_strategy
        if self.temporal_boost_enabled:
            given["tier"] = (float(self.temporal_boost_days), float(self.temporal_boost_factor))
        if self.cluster_enabled:
            given["cluster_top_n"] = self.cluster_top_n
        return given
