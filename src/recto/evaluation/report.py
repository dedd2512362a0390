"""Results for people: a table for the terminal, Markdown, and one HTML page with plots drawn in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recto.evaluation.baselines import Outcome
from recto.evaluation.compare import Difference
from recto.evaluation.measures import LATENCY, MEASURES


def figures(outcomes: Sequence[Outcome]) -> list[list[str]]:
    """A header and one row per outcome."""
    rows = [["dataset", "profile", "queries", *MEASURES]]
    rows += [[one.dataset, one.profile, str(one.queries), *(_cell(one, name) for name in MEASURES)] for one in outcomes]
    return rows


def difference_json(one: Difference) -> dict[str, Any]:
    return {
        "measure": one.measure,
        "before": round(one.before, 6),
        "after": round(one.after, 6),
        "change": round(one.change, 6),
        "low": round(one.interval.low, 6),
        "high": round(one.interval.high, 6),
        "p": round(one.p, 6),
        "significant": one.significant,
    }


def _cell(one: Outcome, measure: str) -> str:
    value = one.metrics.get(measure)
    if value is None:
        return ""
    return f"{value:.1f}" if measure in LATENCY else f"{value:.4f}"
