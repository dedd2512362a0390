"""The operation that measures profiles on a data set, by the configuration of an open library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.evaluation.beir_dataset import Files
from octavo.evaluation.dataset_evaluation import EvaluateRequest, cache_folder, evaluate, outcomes, results_folder
from octavo.evaluation.measured_query_run import TIMED
from octavo.evaluation.stored_results import Results
from octavo.fast_dataclass import Value
from octavo.observability.progress import Progress
from octavo.operations.answer_conversion import filled
from octavo.operations.evaluation.requests import EvalFiguresRequest, EvalRunRequest
from octavo.operations.styled_answer_lines import Line, Part, columns, count


class ProfileFigures(Value):
    """What a profile reached on a data set, by the names of the measures; null where nothing was measured."""

    profile: str
    queries: int
    metrics: Mapping[str, float | None]


class EvaluationAnswer(Value):
    """A run for each profile, and what was odd about the data set."""

    dataset: str
    runs: tuple[ProfileFigures, ...]
    warnings: tuple[str, ...] = ()


class DatasetFigures(Value):
    """What a profile reached on a data set when it was last measured; null where nothing was measured."""

    dataset: str
    profile: str
    queries: int
    measured_at: str
    metrics: Mapping[str, float | None]


class FiguresAnswer(Value):
    """By data set, then by profile."""

    figures: tuple[DatasetFigures, ...]


def eval_run(engine: Engine, request: EvalRunRequest, progress: Progress) -> EvaluationAnswer:
    """Measures profiles by the configuration of an open library. Its documents take no part."""
    config = engine.library.config
    evaluation = evaluate(config, measured_by(request, config), cache_folder(), progress)
    runs = [kept.as_json() for kept in outcomes(evaluation)]
    return EvaluationAnswer(
        evaluation.dataset.name,
        tuple(ProfileFigures(run["profile"], run["queries"], run["metrics"]) for run in runs),
        evaluation.warnings,
    )


def eval_figures(engine: Engine, request: EvalFiguresRequest) -> FiguresAnswer:
    """What is kept of the latest run of every data set with every profile."""
    return FiguresAnswer(
        tuple(
            filled(DatasetFigures, kept, metrics=kept.as_json()["metrics"])
            for kept in Results(results_folder()).latest()
        )
    )


def measured_by(request: EvalRunRequest, config: Config) -> EvaluateRequest:
    """What was asked, with the defaults of a configuration."""
    files = {name: Path(path) for name in ("corpus", "queries", "qrels") if (path := getattr(request, name))}
    return filled(
        EvaluateRequest,
        request,
        dataset=Path(request.dataset),
        profiles=request.profiles or (config.retrieval.profile,),
        files=Files(**files),
        timed_queries=TIMED if request.timed_queries is None else request.timed_queries,
    )


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
