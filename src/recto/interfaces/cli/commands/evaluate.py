"""`recto eval`: how good retrieval is, in figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recto.errors import SourceError, StorageError
from recto.interfaces.cli import completing
from recto.interfaces.cli.layout import Line, Part, columns, visible
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer, Format
from recto.interfaces.cli.progress import progress
from recto.interfaces.cli.session import opened

if TYPE_CHECKING:
    from recto.evaluation.baselines import Outcome, Results
    from recto.evaluation.compare import Difference

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)

_COLUMNS = (
    "dataset",
    "profile",
    "queries",
    "ndcg@10",
    "recall@10",
    "recall@100",
    "mrr@10",
    "map",
    "diversity@10",
    "latency_ms_p50",
    "latency_ms_p95",
)

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
@click.option("--rebuild", is_flag=True, help="Read the corpus anew; texts embedded before are not embedded again.")
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
    _warn(evaluation.warnings)
    for one in evaluation.runs:
        if run_file:
            write_trec(_one_of(run_file, one.profile, len(evaluation.runs)), one)
    measured = outcomes(evaluation)
    results.record(measured)
    pairs = [(matching(held, baseline, one), one) for one in measured] if baseline else []
    differences = [(old, new, compare(old.scores, new.scores)) for old, new in pairs]
    choices.answer(_answer(measured, baseline, differences))


@evaluate.command("save-baseline")
@click.option("--name", default="baseline", show_default=True, help="What to call it.")
@_BASELINES
@shared_options
@pass_choices
def save_baseline(choices: Choices, name: str, baselines: Path | None) -> None:
    """Keep the figures of the last run under a name, to compare later runs with."""
    results = _results(baselines)
    last = results.last()
    path = results.save_baseline(name, last)
    rows = [{"name": name, "dataset": one.dataset, "profile": one.profile} for one in last]
    kept = ", ".join(f"{one.dataset} {one.profile}" for one in last)
    text = [(Part(name, "title"), Part(f": {kept}"))]
    data = {"name": name, "path": str(path), "outcomes": [one.as_json() for one in last]}
    choices.answer(Answer(data, rows, tuple(rows[0]), lambda width: text, files=[str(path)], brief=True))


@evaluate.command("list-baselines")
@_BASELINES
@shared_options
@pass_choices
def list_baselines(choices: Choices, baselines: Path | None) -> None:
    """List the baselines and what they hold."""
    from recto.evaluation.report import figures

    held = _results(baselines).baselines()
    rows = [{"name": name, **_flat(one), "measured_at": one.measured_at} for name in held for one in held[name]]
    named = [name for name in held for _ in held[name]]
    header, *body = figures([one for name in held for one in held[name]])
    table = [["name", *header], *([name, *row] for name, row in zip(named, body, strict=True))]
    data = {"baselines": [{"name": name, "outcomes": [one.as_json() for one in held[name]]} for name in held]}
    nothing: list[Line] = [(Part("there are no baselines; `recto eval save-baseline` keeps the last run", "dim"),)]
    shown = ("name", "dataset", "profile", "queries", "ndcg@10", "recall@10")
    choices.answer(Answer(data, rows, shown, lambda width: _table(table) if body else nothing))


@evaluate.command()
@click.option("--out", type=_FILE, metavar="FILE", help="Write an HTML page, or Markdown if FILE ends in .md.")
@click.option("--baseline", metavar="NAME", help="Report a baseline rather than the latest of each run.")
@click.option(
    "--reference", metavar="PROFILE", help="The profile others are compared with; the default one unless said."
)
@_BASELINES
@shared_options
@pass_choices
def report(
    choices: Choices, out: Path | None, baseline: str | None, reference: str | None, baselines: Path | None
) -> None:
    """Show the latest figures of every data set and profile: here, as Markdown (--format md), or as a page (--out)."""
    from recto.config.load import load
    from recto.errors import NotFound
    from recto.evaluation.report import figures, markdown

    results = _results(baselines)
    kept = results.baseline(baseline) if baseline else results.latest()
    if not kept:
        raise NotFound("nothing has been measured yet", hint="run `recto eval run DATASET` first")
    base = reference or load(choices.flags()).config.retrieval.profile
    if out:
        from recto.evaluation.page import page

        _write(out, markdown(kept, base) if out.suffix == ".md" else page(kept, base))
        if not choices.quiet:
            click.echo(f"written to {visible(str(out))}", err=True)
    data = {"outcomes": [one.as_json() for one in kept]}
    choices.answer(
        Answer(
            data,
            [_flat(one) for one in kept],
            _COLUMNS,
            lambda width: _table(figures(kept)),
            markdown=lambda: markdown(kept, base),
            files=[str(out)] if out else [],
            brief=out is not None,
        )
    )


@evaluate.command()
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
    "-c", "--collection", "names", multiple=True, shell_complete=completing.collections, help="Only this one."
)
@shared_options
@pass_choices
def make(choices: Choices, out: Path, level: str, limit: int, seed: int, names: tuple[str, ...]) -> None:
    """Make a data set from your own library: its headings and titles become questions with known answers."""
    from recto.evaluation.make import Level, write_dataset
    from recto.evaluation.make import make as made_of
    from recto.operations.evaluate import originals

    with opened(choices) as session:
        found = originals(session.engine, names)
    made = made_of(found, level=Level(level), limit=limit, seed=seed)
    write_dataset(made, out)
    data = {"path": str(out), "documents": len(made.corpus), "queries": len(made.queries)}
    text = [(Part(str(out), "place"), Part(f": {len(made.corpus):,} {level}s, {len(made.queries):,} queries"))]
    choices.answer(Answer(data, [data], tuple(data), lambda width: text, files=[str(out)], brief=True))


@evaluate.command()
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@click.option("--profiles", default="lexical_only,dense_only,hybrid", show_default=True, metavar="A,B,C")
@click.option("--measure", default="ndcg@10", show_default=True, metavar="NAME", help="What to show of each.")
@click.option("--markdown", is_flag=True, help="The same as --format md.")
@click.option("--write", "target", type=_FILE, metavar="FILE", help="Replace the table between its marks in FILE.")
@shared_options
@pass_choices
def table(
    choices: Choices, datasets: tuple[str, ...], profiles: str, measure: str, markdown: bool, target: Path | None
) -> None:
    """Measure several data sets and profiles in one table.

    A DATASET may say its scope, corpus, queries, qrels or measure after a colon:
    chats:scope=conversation,qrels=dev.tsv,measure=recall@10
    """
    from recto.config.load import load
    from recto.evaluation.report import markdown_table, overview, replaced
    from recto.operations.evaluate import cache_folder, evaluate, outcomes, request_of

    config = load(choices.flags()).config
    asked = tuple(name.strip() for name in profiles.split(",") if name.strip())
    requests = [request_of(dataset, asked, measure) for dataset in datasets]
    text = _read(target) if target else ""
    if target:
        replaced(text, "", str(target))  # refuses before the hours of work, not after
    results = _results(None)
    kept: list[tuple[tuple[Outcome, ...], str]] = []
    for request, shown in requests:
        evaluation = evaluate(config, request, cache_folder(), progress(quiet=choices.quiet))
        _warn(evaluation.warnings)
        kept.append((outcomes(evaluation), shown))
        results.record([one for held, _ in kept for one in held])
    cells = overview(kept, asked)
    written = "\n".join(markdown_table(cells[0], cells[1:])) + "\n"
    if target:
        _write(target, replaced(text, written, str(target)))
    if markdown:
        choices.format = Format.MD
    plain = [[cell.replace("*", "").replace("`", "") for cell in row] for row in cells]
    flat = [_flat(one) for held, _ in kept for one in held]
    data = {"runs": [one.as_json() for held, _ in kept for one in held]}
    choices.answer(Answer(data, flat, _COLUMNS, lambda width: _table(plain), markdown=lambda: written))


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

    return Answer(data, rows, _COLUMNS, text, cells=lambda: [list(_flat(one).values()) for one in measured])


def _flat(one: Outcome) -> dict[str, Any]:
    """One level deep, with every column."""
    whole = one.as_json()
    return {name: whole[name] if name in whole else whole["metrics"].get(name) for name in _COLUMNS}


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings:
        click.echo(f"warning: {visible(warning)}", err=True)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} cannot be read: {error}") from error


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}") from error


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
