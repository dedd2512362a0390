"""Stages by time: boosts for recently changed documents, and a filter by time range."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from octavo.fast_dataclass import Value
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import ground, noted

_DAY = 86_400.0


class RecencyTiers(Value):
    """Documents changed within so many days are worth so many times as much; the first tier that fits counts."""

    tiers: tuple[tuple[float, float], ...] = ((7.0, 1.2), (30.0, 1.1))
    name: str = "recency_tiers"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        tiers = sorted(self.tiers)
        if not tiers:
            raise SkipStage("no tier is given")
        return _lifted(
            search, candidates, self.name, lambda days: next((by for within, by in tiers if days <= within), 1.0)
        )


class RecencyDecay(Value):
    """A document changed just now is worth `boost` times as much; what it gains halves every `half_life_days`."""

    half_life_days: float = 30.0
    boost: float = 1.5
    name: str = "recency_decay"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if self.half_life_days <= 0:
            raise SkipStage("the half-life is not above zero")
        return _lifted(
            search, candidates, self.name, lambda days: 1.0 + (self.boost - 1.0) * 0.5 ** (days / self.half_life_days)
        )


class TimeRange(Value):
    """Only documents last changed at most `within_days` and at least `before_days` ago."""

    within_days: float | None = None
    before_days: float | None = None
    name: str = "time_range"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if self.within_days is None and self.before_days is None:
            raise SkipStage("no time is given")
        days = _ages(search, candidates)
        longest = float("inf") if self.within_days is None else self.within_days
        shortest = float("-inf") if self.before_days is None else self.before_days
        return tuple(candidate for candidate, age in zip(candidates, days, strict=True) if shortest <= age <= longest)


def _ages(search: Search, candidates: Sequence[Candidate]) -> list[float]:
    """In days. A document from the future is new."""
    now = search.library.now()
    return [max(0.0, (now - candidate.modified_at) / _DAY) for candidate in candidates]


def _lifted(
    search: Search, candidates: tuple[Candidate, ...], stage: str, factor: Callable[[float], float]
) -> tuple[Candidate, ...]:
    """Multiplies what each score has above the ground: times 1.2 never lowers a score, not even a negative one."""
    low = ground(candidates)
    changed, details = [], {}
    for candidate, age in zip(candidates, _ages(search, candidates), strict=True):
        by = factor(age)
        if by != 1.0:
            details[candidate.key] = f"times {by:.3g}, changed {age:.0f} days ago"
            candidate = candidate.scored(low + (candidate.score - low) * by)
        changed.append(candidate)
    search.notes["lifted"] = len(details)
    return noted(in_order(changed), stage, details)
