"""Answers about evaluation as lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.operations.evaluation.evaluate import EvaluationAnswer, FiguresAnswer
from octavo.operations.styled_answer_lines import Line, Part, columns, count


def evaluation_lines(answer: EvaluationAnswer) -> Iterator[Line]:
    """A row a measure, a column a profile: there are more measures than fit a line."""
    queries = answer.runs[0].queries if answer.runs else 0
    yield Part(answer.dataset, "title"), Part(f": {count(queries, 'query', 'queries')}")
    measures = dict.fromkeys(name for run in answer.runs for name in run.metrics)
    header = (Part("measure", "dim"), *(Part(run.profile, "dim") for run in answer.runs))
    rows = [(Part(name), *(Part(_shown(run.metrics.get(name))) for run in answer.runs)) for name in measures]
    yield from columns([header, *rows])
    for warning in answer.warnings:
        yield (Part(warning, "warn"),)


def figures_lines(answer: FiguresAnswer) -> Iterator[Line]:
    if not answer.figures:
        yield (Part("nothing has been measured yet; run `octavo eval run DATASET`", "dim"),)
        return
    measures = dict.fromkeys(name for measured in answer.figures for name in measured.metrics)
    header = [Part(name, "dim") for name in ("dataset", "profile", *measures)]
    rows = [
        [
            Part(measured.dataset),
            Part(measured.profile),
            *(Part(_shown(measured.metrics.get(name))) for name in measures),
        ]
        for measured in answer.figures
    ]
    yield from columns([header, *rows])


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
