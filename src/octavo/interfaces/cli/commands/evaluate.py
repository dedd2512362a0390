"""`octavo eval`: how good retrieval is, in figures."""

from __future__ import annotations

from pathlib import Path

import click

from octavo.interfaces.cli import completing
from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.groups import CommandGroup
from octavo.interfaces.cli.options import shared_options
from octavo.operations.evaluation.requests import EvalRunRequest

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
@command(EvalRunRequest, "eval_run", name="run", action="evaluate:run")
@click.option("--compare", "baseline", metavar="NAME", help="Compare with a baseline, question by question.")
@click.option("--run-file", type=_FILE, metavar="FILE", help="Write the rankings as a TREC run.")
@_BASELINES
def run() -> None: ...


@evaluate.add
@command(
    action="evaluate:save_baseline",
    name="save-baseline",
    examples=["octavo eval run questions", "octavo eval save-baseline --name before"],
)
@click.option("--name", default="baseline", show_default=True, help="What to call it.")
@_BASELINES
def save_baseline() -> None:
    """Keep the figures of the last run under a name, to compare later runs with."""


@evaluate.add
@command(action="evaluate:list_baselines", name="list-baselines", examples=["octavo eval list-baselines"])
@_BASELINES
def list_baselines() -> None:
    """List the baselines and what they hold."""


@evaluate.add
@command(
    action="evaluate:report", examples=["octavo eval run questions", "octavo eval report --out report.html --quiet"]
)
@click.option("--out", type=_FILE, metavar="FILE", help="Write an HTML page, or Markdown if FILE ends in .md.")
@click.option("--baseline", metavar="NAME", help="Report a baseline rather than the latest of each run.")
@click.option(
    "--reference",
    metavar="PROFILE",
    help="The profile that others are compared with.",
    show_default="retrieval.profile",
)
@_BASELINES
def report() -> None:
    """Show the latest figures of every data set and profile: here, as Markdown (--format md), or as a page (--out)."""


@evaluate.add
@command(action="evaluate:make", examples=["octavo eval make --out made --limit 50"])
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
def make() -> None:
    """Make a data set from your own library: its headings and titles become questions with known answers."""


@evaluate.add
@command(action="evaluate:table", examples=["octavo eval table questions --profiles lexical_only,hybrid --markdown"])
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
def table() -> None:
    """Measure several data sets and profiles in one table.

    A DATASET may say its scope, corpus, queries, qrels or measure after a colon:
    chats:scope=conversation,qrels=dev.tsv,measure=recall@10
    """
