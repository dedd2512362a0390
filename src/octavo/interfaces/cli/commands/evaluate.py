"""`octavo eval`: measures retrieval, keeps and compares baselines, writes reports, makes data sets."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from octavo.errors import InvalidArgument, NotFound, SourceError, StorageError, system_message
from octavo.evaluation.dataset_from_library import Level, LoggedQuestion, write_dataset
from octavo.evaluation.dataset_from_library import make as made_of
from octavo.evaluation.measured_query_run import RANKED, write_trec
from octavo.evaluation.stored_results import Outcome, Results, matching
from octavo.interfaces.cli import completion_values
from octavo.interfaces.cli.command_group_with_suggestions import CommandGroup
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened, shared_options
from octavo.interfaces.cli.progress import progress
from octavo.interfaces.presenting.formatted_answer_writing import Answer, OutputFormat
from octavo.operations.evaluation.requests import EvalRunRequest
from octavo.operations.styled_answer_lines import Line, Part, columns, visible

if TYPE_CHECKING:
    from octavo.evaluation.significance import MeasureDifference

_FIGURES = "dataset profile queries ndcg@10 recall@10 recall@100 mrr@10 map diversity@10 latency_ms_p50 latency_ms_p95"
_COLUMNS = tuple(_FIGURES.split())

_GATE = "ndcg@10"

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)

_BASELINES = click.option(
    "--baselines", type=_FOLDER, metavar="DIR", help="Where baselines are kept.", show_default="your data folder"
)


@click.group("eval", cls=CommandGroup)
@shared_options
def evaluate() -> None:
    """Measure retrieval on data sets with known answers.

    A data set is a BEIR folder: corpus.jsonl, queries.jsonl and qrels.tsv (or qrels/test.tsv), each may end in .gz.
    Its corpus is indexed as your own documents are, and kept so that the next run costs seconds.
    """


@evaluate.add
@command(EvalRunRequest, "eval_run", name="run")
@click.option("--compare", "baseline", metavar="NAME", help="Compare with a baseline, question by question.")
@click.option(
    "--gate",
    default=_GATE,
    show_default=True,
    metavar="A,B",
    help="Exit code 6 when one of these measures is significantly below the baseline; none for no gate.",
)
@click.option("--run-file", type=_FILE, metavar="FILE", help="Write the rankings as a TREC run.")
@_BASELINES
def run(
    choices: Choices,
    asked: EvalRunRequest,
    baseline: str | None,
    gate: str,
    run_file: Path | None,
    baselines: Path | None,
) -> Exit:
    from octavo.evaluation.dataset_evaluation import cache_folder, evaluate, outcomes
    from octavo.evaluation.significance import compare, worse
    from octavo.operations.evaluation.evaluate import measured_by

    gated = _gated(gate)
    config = choices.config()
    results = _results(baselines)
    earlier = results.baseline(baseline) if baseline else ()
    request = measured_by(asked, config)
    evaluation = evaluate(config, request, cache_folder(), progress(quiet=choices.quiet))
    _warn(evaluation.warnings)
    if run_file:
        for ranked in evaluation.runs:
            write_trec(_run_file(run_file, ranked.profile, len(evaluation.runs)), ranked)
    measured = outcomes(evaluation)
    results.record(measured)
    pairs = [(matching(earlier, baseline, outcome), outcome) for outcome in measured] if baseline else []
    differences = [(old, new, compare(old.scores, new.scores)) for old, new in pairs]
    choices.answer(_answer(measured, baseline, differences, gated))
    return Exit.PARTIAL if any(worse(changes, gated) for _, _, changes in differences) else Exit.OK


@evaluate.add
@command(name="save-baseline", examples=["octavo eval run questions", "octavo eval save-baseline --name before"])
@click.option("--name", default="baseline", show_default=True, help="What to call it.")
@_BASELINES
def save_baseline(choices: Choices, name: str, baselines: Path | None) -> None:
    """Keep the figures of the last run under a name, to compare later runs with."""
    results = _results(baselines)
    last = results.last()
    path = results.save_baseline(name, last)
    rows = [{"name": name, "dataset": outcome.dataset, "profile": outcome.profile} for outcome in last]
    kept = ", ".join(f"{outcome.dataset} {outcome.profile}" for outcome in last)
    text = [(Part(name, "title"), Part(f": {kept}"))]
    data = {"name": name, "path": str(path), "outcomes": [outcome.as_json() for outcome in last]}
    choices.answer(Answer(data, rows, tuple(rows[0]), lambda width: text, files=[str(path)], brief=True))


@evaluate.add
@command(name="list-baselines", examples=["octavo eval list-baselines"])
@_BASELINES
def list_baselines(choices: Choices, baselines: Path | None) -> None:
    """List the baselines and what they hold."""
    from octavo.evaluation.report import figures

    known = _results(baselines).baselines()
    rows = [
        {"name": name, **_flat(outcome), "measured_at": outcome.measured_at}
        for name in known
        for outcome in known[name]
    ]
    named = [name for name in known for _ in known[name]]
    header, *body = figures([outcome for name in known for outcome in known[name]])
    table = [["name", *header], *([name, *row] for name, row in zip(named, body, strict=True))]
    data = {"baselines": [{"name": name, "outcomes": [outcome.as_json() for outcome in known[name]]} for name in known]}
    nothing: list[Line] = [(Part("there are no baselines; `octavo eval save-baseline` keeps the last run", "dim"),)]
    shown = ("name", "dataset", "profile", "queries", "ndcg@10", "recall@10")
    choices.answer(Answer(data, rows, shown, lambda width: _table(table) if body else nothing))


@evaluate.add
@command(examples=["octavo eval run questions", "octavo eval report --out report.html --quiet"])
@click.option("--out", type=_FILE, metavar="FILE", help="Write an HTML page, or Markdown if FILE ends in .md.")
@click.option("--baseline", metavar="NAME", help="Report a baseline rather than the latest of each run.")
@click.option(
    "--reference",
    metavar="PROFILE",
    help="The profile that others are compared with.",
    show_default="retrieval.profile",
)
@_BASELINES
def report(
    choices: Choices, out: Path | None, baseline: str | None, reference: str | None, baselines: Path | None
) -> None:
    """Show the latest figures of every data set and profile: here, as Markdown (--format md), or as a page (--out)."""
    from octavo.evaluation.report import figures, page
    from octavo.evaluation.report import markdown as markdown_report

    results = _results(baselines)
    kept = results.baseline(baseline) if baseline else results.latest()
    if not kept:
        raise NotFound("nothing has been measured yet", hint="run `octavo eval run DATASET` first")
    base = reference or choices.config().retrieval.profile
    if out:
        _write(out, markdown_report(kept, base) if out.suffix == ".md" else page(kept, base))
        if not choices.quiet:
            click.echo(f"written to {visible(str(out))}", err=True)
    data = {"outcomes": [outcome.as_json() for outcome in kept]}
    choices.answer(
        Answer(
            data,
            [_flat(outcome) for outcome in kept],
            _COLUMNS,
            lambda width: _table(figures(kept)),
            markdown=lambda: markdown_report(kept, base),
            files=[str(out)] if out else [],
            brief=out is not None,
        )
    )


@evaluate.add
@command(examples=["octavo eval make --out made --limit 50"])
@click.option("--out", type=_FOLDER, required=True, metavar="DIR", help="The folder to write the data set to.")
@click.option(
    "--level",
    type=click.Choice(["section", "document"]),
    default="section",
    show_default=True,
    help="What must be found: the section, or its document.",
)
@click.option("--limit", type=click.IntRange(1), default=500, show_default=True, help="How many queries at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed, other templates and sample.")
@click.option(
    "-c", "--collection", "names", multiple=True, shell_complete=completion_values.collections, help="Only this one."
)
def make(choices: Choices, out: Path, level: str, limit: int, seed: int, names: tuple[str, ...]) -> None:
    """Make a data set from your own library: its headings and titles become questions with known answers."""
    from octavo.evaluation.dataset_evaluation import originals
    from octavo.operations.query_log.query_logging_and_listing import opened_passages

    with opened(choices) as session:
        documents = list(originals(session.engine, names))
        questions = [
            LoggedQuestion(passage.query, passage.place, passage.text) for passage in opened_passages(session.engine)
        ]
    made = made_of(documents, level=Level(level), limit=limit, seed=seed, asked=questions)
    write_dataset(made, out)
    data = {"path": str(out), "documents": len(made.corpus), "queries": len(made.queries)}
    text = [(Part(str(out), "place"), Part(f": {len(made.corpus):,} {level}s, {len(made.queries):,} queries"))]
    choices.answer(Answer(data, [data], tuple(data), lambda width: text, files=[str(out)], brief=True))


@evaluate.add
@command(examples=["octavo eval table questions --profiles lexical_only,hybrid --markdown"])
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@click.option(
    "--profiles",
    default="lexical_only,dense_only,hybrid",
    show_default=True,
    metavar="A,B,C",
    help="The profiles to compare, one column each.",
)
@click.option("--measure", default="ndcg@10", show_default=True, metavar="NAME", help="What to show of each.")
@click.option("--markdown", is_flag=True, help="The same as --format md.")
@click.option("--write", "target", type=_FILE, metavar="FILE", help="Replace the table between its marks in FILE.")
def table(
    choices: Choices, datasets: tuple[str, ...], profiles: str, measure: str, markdown: bool, target: Path | None
) -> None:
    """Measure several data sets and profiles in one table.

    A DATASET may say its scope, corpus, queries, qrels or measure after a colon:
    chats:scope=conversation,qrels=dev.tsv,measure=recall@10
    """
    from octavo.evaluation.dataset_evaluation import cache_folder, evaluate, outcomes, request_of
    from octavo.evaluation.report import markdown_table, overview, replaced

    config = choices.config()
    names = tuple(name.strip() for name in profiles.split(",") if name.strip())
    requests = [request_of(dataset, names, measure) for dataset in datasets]
    text = _read(target) if target else ""
    if target:
        replaced(text, "", str(target))  # refuses before the hours of work, not after
    results = _results(None)
    kept: list[tuple[tuple[Outcome, ...], str]] = []
    for request, shown in requests:
        evaluation = evaluate(config, request, cache_folder(), progress(quiet=choices.quiet))
        _warn(evaluation.warnings)
        kept.append((outcomes(evaluation), shown))
        results.record([outcome for measured, _ in kept for outcome in measured])
    cells = overview(kept, names)
    written = "\n".join(markdown_table(cells[0], cells[1:])) + "\n"
    if target:
        _write(target, replaced(text, written, str(target)))
    if markdown:
        choices.format = OutputFormat.MD
    plain = [[cell.replace("*", "").replace("`", "") for cell in row] for row in cells]
    flat = [_flat(outcome) for measured, _ in kept for outcome in measured]
    data = {"runs": [outcome.as_json() for measured, _ in kept for outcome in measured]}
    choices.answer(Answer(data, flat, _COLUMNS, lambda width: _table(plain), markdown=lambda: written))


def _results(baselines: Path | None) -> Results:
    from octavo.evaluation.dataset_evaluation import results_folder

    return Results(results_folder(), baselines)


def _run_file(path: Path, profile: str, profiles: int) -> Path:
    return path if profiles == 1 else path.with_name(f"{path.stem}.{profile}{path.suffix}")


def _answer(
    measured: Sequence[Outcome],
    baseline: str | None,
    differences: Sequence[tuple[Outcome, Outcome, tuple[MeasureDifference, ...]]],
    gated: Collection[str],
) -> Answer:
    from octavo.evaluation.report import difference_json, figures
    from octavo.evaluation.significance import worse

    rows: list[dict[str, Any]] = [outcome.as_json() for outcome in measured]
    for row, (old, _, changes) in zip(rows, differences, strict=False):
        row["compared_with"] = {"baseline": baseline, "profile": old.profile}
        row["changes"] = [difference_json(difference) for difference in changes]
        row["gate"] = {"measures": list(gated), "failed": [change.measure for change in worse(changes, gated)]}
    data = rows[0] if len(rows) == 1 else {"runs": rows}
    shown = figures(measured)

    def text(width: int) -> Iterator[Line]:
        yield from _table(shown)
        for old, new, changes in differences:
            yield ()
            yield (Part(f"{new.dataset}, {new.profile} against {old.profile} of {baseline}", "title"),)
            yield from columns([_change(difference) for difference in changes])
            for change in changes:
                if change.measure in gated:
                    yield (Part(_resolution(change), "dim"),)
            for change in worse(changes, gated):
                yield (Part(f"{change.measure} fell: exit code {Exit.PARTIAL:d}", "bad"),)

    return Answer(data, rows, _COLUMNS, text, cells=lambda: [list(_flat(outcome).values()) for outcome in measured])


def _gated(names: str) -> tuple[str, ...]:
    measures = tuple(name.strip() for name in names.split(",") if name.strip() not in ("", "none"))
    if unknown := [name for name in measures if name not in RANKED]:
        raise InvalidArgument(f"there is no measure {unknown[0]} to judge by", hint=f"choose of: {', '.join(RANKED)}")
    return measures


def _resolution(change: MeasureDifference) -> str:
    """How small a change this many questions can show, for who wonders whether the set is large enough."""
    seen = (change.interval.high - change.interval.low) / 2
    return f"{change.questions} queries show a change of {change.measure} beyond ±{seen:.3f}, 4 times as many half"


def _flat(outcome: Outcome) -> dict[str, Any]:
    """One level deep, with every column."""
    whole = outcome.as_json()
    return {name: whole[name] if name in whole else whole["metrics"].get(name) for name in _COLUMNS}


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings:
        click.echo(f"warning: {visible(warning)}", err=True)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} cannot be read: {system_message(error)}") from error


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}") from error


def _table(rows: Sequence[Sequence[str]]) -> Iterator[Line]:
    header, *body = rows
    yield from columns([[Part(cell, "dim") for cell in header], *([Part(cell) for cell in row] for row in body)])


def _change(difference: MeasureDifference) -> list[Part]:
    style = "" if not difference.significant else "good" if difference.change > 0 else "bad"
    return [
        Part(difference.measure),
        Part(f"{difference.before:.4f} → {difference.after:.4f}"),
        Part(f"{difference.change:+.4f}", style),
        Part(f"[{difference.interval.low:+.4f}, {difference.interval.high:+.4f}]", "dim"),
        Part(f"p = {difference.p:.4f}" + (" significant" if difference.significant else ""), style),
    ]
