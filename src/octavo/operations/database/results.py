"""Answers to backup, upgrade, pruning, check and repair of a whole library."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass
from octavo.operations.library.results import IndexAnswer


@dataclass(frozen=True, slots=True)
class SavedLibrary:
    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class UpgradeAnswer:
    """What was different about the recipe, and what was done about it; `promised` when a worker makes new vectors."""

    differences: tuple[str, ...]
    promised: bool
    saved: str | None = None
    report: IndexAnswer | None = None


@dataclass(frozen=True, slots=True)
class PruneAnswer:
    """What went, or would. Texts and vectors go when nothing refers to them any more."""

    versions: int
    texts: int
    vectors: int
    bytes: int
    dry_run: bool
    cached: int = 0
    """Answers and scores of models that were kept so that nobody is asked twice."""


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """`mode` is `quick` where only samples were looked at."""

    sound: bool
    problems: tuple[str, ...]
    mode: str | None = None


@dataclass(frozen=True, slots=True)
class RepairAnswer:
    """What was wrong, and what still is; `lost` says what nobody can read any more. Where the file itself was damaged,
    `kept` is where it is now."""

    found: tuple[str, ...]
    left: tuple[str, ...]
    kept: str | None = None
    lost: tuple[str, ...] | None = None

    @property
    def sound(self) -> bool:
        return not self.left
