"""What is answered about embedding profiles."""

from __future__ import annotations

from octavo.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ProfileShown:
    """`chunks` have all their vectors under it, of `total`. `configured` is the configuration's own embedder."""

    name: str
    provider: str
    model: str
    dimensions: int
    distance: str
    state: str
    chunks: int
    total: int
    url: str | None = None


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
