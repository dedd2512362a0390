"""Is the difference real: seeded bootstrap intervals and a paired randomisation test."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.errors import InvalidArgument
from octavo.fast_dataclass import Value

SIGNIFICANT = 0.05
_SAMPLES = 10_000
_ROWS = 1_000_000  # numbers drawn at a time: bounds the memory of a large set


class Interval(Value):
    """A mean and the range that holds it with the asked-for confidence."""

    mean: float
    low: float
    high: float


class MeasureDifference(Value):
    """A measure of the same questions under two rankings. `p` is the chance of such a difference by luck alone."""

    measure: str
    before: float
    after: float
    interval: Interval
    p: float
    questions: int

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def significant(self) -> bool:
        return self.p < SIGNIFICANT


def bootstrap(values: Sequence[float], *, confidence: float = 0.95, seed: int = 0) -> Interval:
    """Percentile interval of the mean over resampled questions (Efron 1979). Same values and seed, same interval."""
    if not values:
        return Interval(0.0, 0.0, 0.0)
    sample = np.asarray(values, dtype=np.float64)
    random = np.random.default_rng(seed)
    means = np.concatenate(
        [sample[random.integers(0, len(sample), (rows, len(sample)))].mean(axis=1) for rows in _slices(len(sample))]
    )
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return Interval(float(sample.mean()), float(low), float(high))


def randomisation(before: Sequence[float], after: Sequence[float], *, seed: int = 0) -> float:
    """Two-sided paired randomisation test: how often flipping signs at random moves the mean at least as far.

    Makes no assumption about how the values are spread (Smucker, Allan and Carterette 2007). The observed
    assignment counts as one of the samples, so that p is never 0.
    """
    moved = np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64)
    moved = moved[moved != 0.0]
    if not len(moved):
        return 1.0
    observed = abs(float(moved.sum()))
    random = np.random.default_rng(seed)
    as_far = 1
    for rows in _slices(len(moved)):
        sums = np.abs(_signs(random, rows, len(moved)) @ moved)
        # Sums of the same numbers in another order differ in their last bits.
        as_far += int((sums >= observed * (1.0 - 1e-12)).sum())
    return as_far / (_SAMPLES + 1)


def compare(
    before: Mapping[str, Mapping[str, float]], after: Mapping[str, Mapping[str, float]], *, seed: int = 0
) -> tuple[MeasureDifference, ...]:
    """Measure by measure over the questions both sides have; the interval is that of the mean change."""
    differences = []
    for measure in after:
        shared = sorted(after[measure].keys() & before.get(measure, {}).keys())
        if not shared:
            continue
        old = [before[measure][question] for question in shared]
        new = [after[measure][question] for question in shared]
        moved = [late - early for early, late in zip(old, new, strict=True)]
        differences.append(
            MeasureDifference(
                measure=measure,
                before=sum(old) / len(old),
                after=sum(new) / len(new),
                interval=bootstrap(moved, seed=seed),
                p=randomisation(old, new, seed=seed),
                questions=len(shared),
            )
        )
    if not differences:
        raise InvalidArgument("the two runs have no question in common", hint="compare runs of the same data set")
    return tuple(differences)


def worse(differences: Iterable[MeasureDifference], measures: Collection[str]) -> list[MeasureDifference]:
    """What a gate stops: those of these measures that fell, beyond what luck explains."""
    return [found for found in differences if found.measure in measures and found.significant and found.change < 0]


def _slices(width: int) -> list[int]:
    """Numbers of rows that together make the samples, each small enough to hold in memory."""
    rows = max(1, min(_SAMPLES, _ROWS // max(1, width)))
    return [min(rows, _SAMPLES - done) for done in range(0, _SAMPLES, rows)]


def _signs(random: np.random.Generator, rows: int, width: int) -> NDArray[np.float64]:
    return random.integers(0, 2, (rows, width)).astype("float64") * 2.0 - 1.0
