"""The report of an evaluation: tables for a terminal, Markdown and a README; one HTML page with plots drawn in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from octavo.errors import InvalidArgument
from octavo.evaluation.measured_query_run import LATENCY, MEASURES, RANKED
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


_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fdfdfb; --faint: #8a8a86; --rule: #ddddd6; --bar: #3b6ea5;
  --good: #2c7a4b; --bad: #b3402e }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --paper: #1b1c1e; --faint: #94938f; --rule: #3a3b3d;
  --bar: #6fa3d8; --good: #6cc08b; --bad: #e58a78 } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto;
  max-width: 72rem; padding: 0 1rem }
h1 { font-size: 1.5rem }
h2 { font-size: 1.15rem; margin-top: 2.5rem; border-top: 1px solid var(--rule); padding-top: 1rem }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--rule) }
th { font-weight: 600; color: var(--faint) } th:first-child, td:first-child, td.name, th.name { text-align: left }
.good { color: var(--good) } .bad { color: var(--bad) } .faint { color: var(--faint) }
.plots { display: flex; flex-wrap: wrap; gap: 2rem } figure { margin: 0 } figcaption { color: var(--faint) }
svg text { fill: currentColor; font-size: 12px } .wide { overflow-x: auto }
"""

_BAR, _GAP, _LABEL, _WIDTH = 20, 8, 130, 320


def page(outcomes: Sequence[Outcome], reference: str) -> str:
    """Figures of all, then for each data set its bars, its spread over the questions, and its differences."""
    header, *rows = figures(outcomes)
    body = ["<h1>Retrieval quality</h1>", f'<div class="wide">{_table(header, rows, names=2)}</div>']
    for dataset, runs in by_dataset(outcomes).items():
        body.append(f"<h2>{escape(dataset)}</h2>")
        body.append(f'<div class="plots">{_quality(runs)}{_latency(runs)}{_spread(runs)}</div>')
        body += _changes(runs, reference)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Retrieval quality</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], names: int = 1) -> str:
    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=name' if place < names else ''}>{escape(cell)}</{tag}>" for place, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table><thead><tr>{cells(header, 'th')}</tr></thead><tbody>{body}</tbody></table>"


def _quality(runs: Sequence[Outcome]) -> str:
    """A bar per profile from 0 to 1, with the 95 % interval of its mean as a whisker."""
    rows = []
    for place, outcome in enumerate(runs):
        interval = bootstrap(list(outcome.scores["ndcg@10"].values()))
        y = place * (_BAR + _GAP)
        middle = y + _BAR / 2
        low, high = (_LABEL + bound * _WIDTH for bound in (interval.low, interval.high))
        rows.append(
            _bar(outcome.profile, y, interval.mean * _WIDTH, f"{interval.mean:.3f}", after=high)
            + f'<path d="M{low:.1f} {middle}H{high:.1f}M{low:.1f} {y + 5}v10M{high:.1f} {y + 5}v10" '
            'stroke="currentColor" fill="none"/>'
        )
    return _figure("nDCG@10 with its 95 % interval", rows, len(runs))


def _latency(runs: Sequence[Outcome]) -> str:
    timed = [outcome for outcome in runs if "latency_ms_p95" in outcome.metrics]
    if not timed:
        return ""
    slowest = max(outcome.metrics["latency_ms_p95"] for outcome in timed) or 1.0
    rows = []
    for place, outcome in enumerate(timed):
        y = place * (_BAR + _GAP)
        half, most = outcome.metrics["latency_ms_p50"], outcome.metrics["latency_ms_p95"]
        end = _LABEL + most / slowest * _WIDTH
        rows.append(
            f'<rect x="{_LABEL}" y="{y}" width="{most / slowest * _WIDTH:.1f}" height="{_BAR}" fill="var(--bar)" '
            'opacity=".35"/>'
            + _bar(outcome.profile, y, half / slowest * _WIDTH, f"{half:.1f} / {most:.1f} ms", after=end)
        )
    return _figure("Time of an answer: half of them, and 95 %, are faster", rows, len(timed))


def _spread(runs: Sequence[Outcome]) -> str:
    """Questions ordered by their value: how much of a mean comes from failures rather than from lower ranks."""
    size, lines = 180, []
    for place, outcome in enumerate(runs):
        ordered = sorted(outcome.scores["ndcg@10"].values(), reverse=True)
        last = max(1, len(ordered) - 1)
        points = " ".join(
            f"{_LABEL + step / last * _WIDTH:.1f},{size - value * size:.1f}" for step, value in enumerate(ordered)
        )
        hue = (210 + 75 * place) % 360
        lines.append(
            f'<polyline points="{points}" fill="none" stroke="hsl({hue} 55% 50%)" stroke-width="2"/>'
            f'<text x="0" y="{16 * (place + 1)}" style="fill: hsl({hue} 55% 50%)">{escape(outcome.profile)}</text>'
        )
    frame = f'<path d="M{_LABEL} 0V{size}H{_LABEL + _WIDTH}" stroke="var(--rule)" fill="none"/>'
    return (
        f'<figure><figcaption>nDCG@10 of every question, best first</figcaption><svg width="{_LABEL + _WIDTH + 80}" '
        f'height="{size + 8}" role="img">{frame}{"".join(lines)}</svg></figure>'
    )


def _bar(label: str, y: float, length: float, shown: str, *, after: float) -> str:
    base = y + _BAR - 6
    return (
        f'<text x="0" y="{base}">{escape(label)}</text>'
        f'<rect x="{_LABEL}" y="{y}" width="{max(0.0, length):.1f}" height="{_BAR}" fill="var(--bar)"/>'
        f'<text x="{max(after, _LABEL + length) + 8:.1f}" y="{base}">{escape(shown)}</text>'
    )


def _figure(caption: str, rows: Sequence[str], count: int) -> str:
    height = max(1, count) * (_BAR + _GAP)
    return (
        f'<figure><figcaption>{escape(caption)}</figcaption><svg width="{_LABEL + _WIDTH + 110}" height="{height}" '
        f'role="img">{"".join(rows)}</svg></figure>'
    )


def _changes(runs: Sequence[Outcome], reference: str) -> list[str]:
    rows = []
    for outcome, changes in differences(runs, reference):
        for difference in changes:
            tone = "faint" if not difference.significant else "good" if difference.change > 0 else "bad"
            rows.append(
                f"<tr><td>{escape(outcome.profile)}</td><td class=name>{SHOWN[difference.measure]}</td>"
                f"<td>{difference.before:.3f} → {difference.after:.3f}</td>"
                f'<td class="{tone}">{difference.change:+.3f}</td>'
                f"<td>{difference.interval.low:+.3f} to {difference.interval.high:+.3f}</td>"
                f'<td class="{tone}">{difference.p:.4f}</td></tr>'
            )
    if not rows:
        return []
    titles = ("profile", "measure", f"{reference} → profile", "change", "95 % interval", "p")
    header = "".join(f"<th>{escape(title)}</th>" for title in titles)
    return [
        f"<p>Against <b>{escape(reference)}</b>; a change with p below 0.05 is coloured.</p>"
        f"<table><thead><tr>{header}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    ]
