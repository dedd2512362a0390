"""Answers about embedding profiles: state, chunks with vectors, index tuning, and the job that fills one."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ProfileShown:
    """`chunks` have all their vectors under it, of `total`. `configured` is the configuration's own embedder.
    `hnsw` and `query` tune the index that PostgreSQL has of its vectors, as far as they were set."""

    name: str
    provider: str
    model: str
    dimensions: int
    distance: str
    state: str
    chunks: int
    total: int
    url: str | None = None
    hnsw: Mapping[str, int] | None = None
    query: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class ProfilesAnswer:
    profiles: tuple[ProfileShown, ...]


@dataclass(frozen=True, slots=True)
class ProfileAnswer:
    """The profile as it stands, and the job that fills it where there is one."""

    profile: ProfileShown
    job: int | None = None


@dataclass(frozen=True, slots=True)
class PromisedAnswer:
    job: int
    kind: str
