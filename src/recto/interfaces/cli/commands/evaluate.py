"""`recto eval`: how good retrieval is, in figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recto.interfaces.cli import completing
from recto.interfaces.cli.layout import Line, Part, columns, visible
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.progress import progress

if TYPE_CHECKING:
    from recto.evaluation.baselines import Outcome, Results
    from recto.evaluation.compare import Difference

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)

_BASELINES = click.option(
    "--baselines", type=_FOLDER, metavar="DIR", help="Where baselines are kept; your data folder unless said."
)


@click.group("eval")
@shared_options
def evaluate() -> None:
    """Measure retrieval on data sets with known answers.

    A data set is a BEIR folder: corpus.jsonl, queries.jsonl and qrels.tsv (or qrels/test.tsv), each may end in .gz.
    Its corpus is indexed as your own documents are, and kept so that the next run costs seconds.
    """


@evaluate.command()
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option(
    "-p",
    "--profile",
    "profiles",
    multiple=True,
    shell_complete=completing.profiles,
    help="The profile to measure; may be repeated.",
)
@click.option("--qrels", type=_FILE, metavar="FILE", help="Other judgements, such as a training split.")
@click.option("--corpus", type=_FILE, metavar="FILE", help="Another corpus of the data set.")
@click.option("--queries", type=_FILE, metavar="FILE", help="Other queries of the data set.")
@click.option("--scope", metavar="KEY", help="Confine each query to documents with the same metadata KEY.")
@click.option("--limit-queries", type=click.IntRange(1), metavar="N", help="Ask N queries, spread over all.")
@click.option(
    "--timed-queries", type=click.IntRange(0), metavar="N", help="Take the time of N queries; 200 unless said."
)
@click.option("--compare", "baseline", metavar="NAME", help="Compare with a baseline, question by question.")
@click.option("--run-file", type=_FILE, metavar="FILE", help="Write the rankings as a TREC run.")
@click.option("--rebuild", is_flag=True, help="Index the corpus anew even if its library is kept.")
@_BASELINES
@shared_options
@pass_choices
def run(
    choices: Choices,
    dataset: Path,
    profiles: tuple[str, ...],
    qrels: Path | None,
    corpus: Path | None,
    queries: Path | None,
    scope: str | None,
    limit_queries: int | None,
    timed_queries: int | None,
    baseline: str | None,
    run_file: Path | None,
    rebuild: bool,
    baselines: Path | None,
) -> None:
    """Measure one or several profiles on DATASET."""
    from recto.config.load import load
    from recto.evaluation.baselines import matching
    from recto.evaluation.compare import compare
    from recto.evaluation.dataset import Files
    from recto.evaluation.runner import TIMED, write_trec
    from recto.operations.evaluate import EvaluateRequest, cache_folder, outcomes
    from recto.operations.evaluate import evaluate as measure

    config = load(choices.flags()).config
    results = _results(baselines)
    held = results.baseline(baseline) if baseline else ()
    request = EvaluateRequest(
        dataset=dataset,
        profiles=profiles or (config.retrieval.profile,),
        files=Files(corpus, queries, qrels),
        scope=scope,
        limit_queries=limit_queries,
        timed_queries=TIMED if timed_queries is None else timed_queries,
        rebuild=rebuild,
    )
    evaluation = measure(config, request, cache_folder(), progress(quiet=choices.quiet))
    for warning in evaluation.warnings:
        click.echo(f"warning: {visible(warning)}", err=True)
    for one in evaluation.runs:
        if run_file:
            write_trec(_one_of(run_file, one.profile, len(evaluation.runs)), one)
    measured = outcomes(evaluation)
    results.record(measured)
    pairs = [(matching(held, baseline, one), one) for one in measured] if baseline else []
    differences = [(old, new, compare(old.scores, new.scores)) for old, new in pairs]
    choices.answer(_answer(measured, baseline, differences))


def _results(baselines: Path | None) -> Results:
    from recto.evaluation.baselines import Results
    from recto.operations.evaluate import results_folder

    return Results(results_folder(), baselines)


def _one_of(path: Path, profile: str, several: int) -> Path:
    return path if several == 1 else path.with_name(f"{path.stem}.{profile}{path.suffix}")


def _answer(
    measured: Sequence[Outcome],
    baseline: str | None,
    differences: Sequence[tuple[Outcome, Outcome, tuple[Difference, ...]]],
) -> Answer:
    from recto.evaluation.report import difference_json, figures

    rows: list[dict[str, Any]] = [one.as_json() for one in measured]
    for row, (old, _, changes) in zip(rows, differences, strict=False):
        row["compared_with"] = {"baseline": baseline, "profile": old.profile}
        row["changes"] = [difference_json(one) for one in changes]
    data = rows[0] if len(rows) == 1 else {"runs": rows}
    shown = figures(measured)

    def text(width: int) -> Iterator[Line]:
        yield from _table(shown)
        for old, new, changes in differences:
            yield ()
            yield (Part(f"{new.dataset}, {new.profile} against {old.profile} of {baseline}", "title"),)
            yield from columns([_change(one) for one in changes])

    flat = [
        {"dataset": row["dataset"], "profile": row["profile"], "queries": row["queries"], **row["metrics"]}
        for row in rows
    ]
    return Answer(data, rows, tuple(shown[0]), text, cells=lambda: [list(one.values()) for one in flat])


def _table(rows: Sequence[Sequence[str]]) -> Iterator[Line]:
    header, *body = rows
    yield from columns([[Part(cell, "dim") for cell in header], *([Part(cell) for cell in row] for row in body)])


def _change(one: Difference) -> list[Part]:
    style = "" if not one.significant else "good" if one.change > 0 else "bad"
    return [
        Part(one.measure),
        Part(f"{one.before:.4f} → {one.after:.4f}"),
        Part(f"{one.change:+.4f}", style),
        Part(f"[{one.interval.low:+.4f}, {one.interval.high:+.4f}]", "dim"),
        Part(f"p = {one.p:.4f}" + (" significant" if one.significant else ""), style),
    ]
