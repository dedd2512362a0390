"""The settings of snapshots, and of the indexes that faiss makes for them."""

from __future__ import annotations

from typing import Annotated, Literal

from octavo.fast_dataclass import dataclass
from octavo.model.field_constraints_and_cli_options import Field

_Shards = Annotated[int, Field(ge=1, le=1_024)]


@dataclass(frozen=True, slots=True)
class Faiss:
    """Numbers of faiss indexes, from the next snapshot on (`snapshots.vectors`)."""

    min_vectors: Annotated[int, Field("A shard of fewer vectors is scanned exactly.", ge=1)] = 1_000
    m: Annotated[int, Field("IVFPQ: sub-vectors of a vector, at most.", ge=1, le=1_024)] = 64
    nbits: Annotated[int, Field("IVFPQ: bits of each sub-vector's code.", ge=4, le=12)] = 8
    nprobe: Annotated[int, Field("IVFPQ: cells that a query looks into.", ge=2, le=4_096)] = 16
    hnsw_m: Annotated[int, Field("HNSW: links of a node.", ge=2, le=256)] = 32
    ef_construction: Annotated[int, Field("HNSW: care taken when it is built.", ge=4, le=4_096)] = 200
    ef_search: Annotated[int, Field("HNSW: candidates of a search at least.", ge=4, le=4_096)] = 64


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Files next to a large library that make searching it fast."""

    enabled: Annotated[bool, Field("Whether snapshots are built and used.")] = True
    threshold: Annotated[int, Field("How many chunks a library needs to get snapshots.", ge=1)] = 20_000
    keep: Annotated[int, Field("How many snapshots are kept, the newest first.", ge=1, le=1_000)] = 3
    shards: Annotated[
        _Shards | None, Field("Into how many files vectors are divided; unset, by the size of the library.")
    ] = None
    open_shards: Annotated[_Shards, Field("How many of these files are mapped into memory at once.")] = 128
    outline: Annotated[
        bool, Field("Whether to store a vector for each section, for profiles with a `dense_outline` stage.")
    ] = False
    vectors: Annotated[
        Literal["codes", "ivfpq", "hnsw"],
        Field("How nearest vectors are found: binary codes, or a faiss index (`octavo[faiss]`)."),
    ] = "codes"
    copies: Annotated[
        bool, Field("Whether each snapshot has files of its own, instead of hard links to unchanged ones.")
    ] = False
    faiss: Faiss = Faiss()
