"""What is answered about evaluation."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ProfileFigures:
    """What a profile reached on a data set, by the names of the measures; null where nothing was measured."""

    profile: str
    queries: int
    metrics: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class EvaluationAnswer:
    """A run for each profile, and what was odd about the data set."""

    dataset: str
    runs: tuple[ProfileFigures, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DatasetFigures:
    """What a profile reached on a data set when it was last measured; null where nothing was measured."""

    dataset: str
    profile: str
    queries: int
    measured_at: str
    metrics: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class FiguresAnswer:
    """By data set, then by profile."""

    figures: tuple[DatasetFigures, ...]
