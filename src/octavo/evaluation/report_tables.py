"""Results in tables: rows for a terminal, Markdown, and the table of a README between its two marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from octavo.errors import InvalidArgument
from octavo.evaluation.evaluation_measure_set import LATENCY, MEASURES, RANKED
from octavo.evaluation.significance import MeasureDifference, bootstrap, compare
from octavo.evaluation.stored_results import Outcome

BEGIN, END = "<!-- evaluation table -->", "<!-- /evaluation table -->"

SHOWN = {
    "ndcg@10": "nDCG@10",
    "recall@10": "Recall@10",
    "recall@100": "Recall@100",
    "mrr@10": "MRR@10",
    "map": "MAP",
    "diversity@10": "Diversity@10",
    "latency_ms_p50": "p50 ms",
    "latency_ms_p95": "p95 ms",
}


def figures(outcomes: Iterable[Outcome]) -> list[list[str]]:
    """A header and one row per outcome."""
    header = ["dataset", "profile", "queries", *(SHOWN[name] for name in MEASURES)]
    return [header, *(_row(outcome) for outcome in outcomes)]


def by_dataset(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Outcomes of the same questions stand together; another sample of a data set's queries is another group."""
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.dataset, outcome.digest), []).append(outcome)
    named: dict[str, list[Outcome]] = {}
    for (dataset, _), runs in groups.items():
        name = dataset if dataset not in named else f"{dataset} ({runs[0].queries} queries)"
        named[name] = runs
    return named


def differences(runs: Sequence[Outcome], reference: str) -> list[tuple[Outcome, tuple[MeasureDifference, ...]]]:
    """Every other profile against the reference, over the measures each question has."""
    before = next((outcome for outcome in runs if outcome.profile == reference), None)
    if before is None:
        return []
    return [(outcome, compare(_ranked(before), _ranked(outcome))) for outcome in runs if outcome is not before]


def _ranked(outcome: Outcome) -> dict[str, Mapping[str, float]]:
    return {name: outcome.scores[name] for name in RANKED if name in outcome.scores}


def difference_json(difference: MeasureDifference) -> dict[str, Any]:
    return {
        "measure": difference.measure,
        "before": round(difference.before, 6),
        "after": round(difference.after, 6),
        "change": round(difference.change, 6),
        "low": round(difference.interval.low, 6),
        "high": round(difference.interval.high, 6),
        "p": round(difference.p, 6),
        "significant": difference.significant,
    }


def markdown(outcomes: Sequence[Outcome], reference: str) -> str:
    """The whole report: figures, then for each data set how the profiles differ from the reference."""
    header, *rows = figures(outcomes)
    lines = ["# Retrieval quality", "", *markdown_table(header, rows), ""]
    for dataset, runs in by_dataset(outcomes).items():
        lines += [f"## {dataset}", "", *markdown_table(["profile", "nDCG@10", "95 % interval"], _intervals(runs)), ""]
        changed = [
            _changed(outcome, difference) for outcome, changes in differences(runs, reference) for difference in changes
        ]
        if changed:
            titles = ["profile", "measure", f"{reference} → profile", "change", "95 % interval", "p"]
            lines += [f"Against `{reference}`:", "", *markdown_table(titles, changed), ""]
    return "\n".join(lines).rstrip() + "\n"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    written = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in written]


def overview(measured: Iterable[tuple[Sequence[Outcome], str]], profiles: Sequence[str]) -> list[list[str]]:
    """One row for each data set under its measure, one column for each profile, the best in bold."""
    rows = [["data set", "queries", "measure", *(f"`{profile}`" for profile in profiles)]]
    for runs, measure in measured:
        by_profile = {outcome.profile: outcome for outcome in runs}
        cells = [_cell(by_profile[name], measure) if name in by_profile else "" for name in profiles]
        best = (min if measure in LATENCY else max)((cell for cell in cells if cell), default="", key=float)
        marked = [f"**{cell}**" if cell and cell == best else cell for cell in cells]
        rows.append([runs[0].dataset, str(runs[0].queries), SHOWN[measure], *marked])
    return rows


def replaced(text: str, table: str, name: str) -> str:
    """The text with a new table between its two marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise InvalidArgument(f"{name} does not hold the two marks of the table", hint=f"add two lines: {BEGIN} {END}")
    return f"{before}{BEGIN}\n{table.strip()}\n{END}{after}"


def _row(outcome: Outcome) -> list[str]:
    return [outcome.dataset, outcome.profile, str(outcome.queries), *(_cell(outcome, name) for name in MEASURES)]


def _cell(outcome: Outcome, measure: str) -> str:
    value = outcome.metrics.get(measure)
    if value is None:
        return ""
    return f"{value:.1f}" if measure in LATENCY else f"{value:.3f}"


def _intervals(runs: Sequence[Outcome]) -> list[list[str]]:
    rows = []
    for outcome in runs:
        interval = bootstrap(list(outcome.scores["ndcg@10"].values()))
        rows.append([outcome.profile, f"{interval.mean:.3f}", f"{interval.low:.3f} to {interval.high:.3f}"])
    return rows


def _changed(outcome: Outcome, difference: MeasureDifference) -> list[str]:
    p = f"{difference.p:.4f}" + (" *" if difference.significant else "")
    interval = f"{difference.interval.low:+.3f} to {difference.interval.high:+.3f}"
    change = f"{difference.before:.3f} → {difference.after:.3f}"
    return [outcome.profile, SHOWN[difference.measure], change, f"{difference.change:+.3f}", interval, p]
