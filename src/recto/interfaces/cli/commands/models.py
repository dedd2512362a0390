"""`recto models` and `recto finetune`: make a model from the library's own content, look at models, let one answer."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recto.interfaces.cli.layout import Line, Part, columns, size
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.progress import progress
from recto.interfaces.cli.session import opened
from recto.operations.plain import plain

if TYPE_CHECKING:
    from recto.operations.finetune import Finetuned
    from recto.operations.models import ModelAnswer, ModelShown

_COLUMNS = ("name", "form", "state", "revision", "dimensions", "bytes", "base", "made_at")


@click.group()
@shared_options
def models() -> None:
    """List the models made here, show how good they are, let one answer, remove one."""


@models.command("list")
@shared_options
@pass_choices
def list_models(choices: Choices) -> None:
    """List the bundled encoder and the models made here."""
    from recto.operations.models import ModelsListRequest, models_list

    with opened(choices) as session:
        found = models_list(session.engine, ModelsListRequest()).models
    rows = [plain(one) for one in found]
    choices.answer(Answer({"models": rows}, rows, _COLUMNS, lambda width: _lines(found)))


@models.command("show")
@click.argument("name")
@shared_options
@pass_choices
def show(choices: Choices, name: str) -> None:
    """Show the card of the model NAME: what it was made from, how, and how good it is."""
    from recto.operations.models import ModelRequest, models_show

    with opened(choices) as session:
        found = models_show(session.engine, ModelRequest(name))
    row = plain(found.model)
    lines: list[Line] = [*_lines((found.model,)), (), *((Part(line),) for line in found.card.splitlines())]
    data = {**row, "card": found.card}
    choices.answer(Answer(data, [data], _COLUMNS, lambda width: lines, markdown=lambda: found.card))


@models.command("activate")
@click.argument("name")
@click.option("--force", is_flag=True, help="Even if it is worse on a check.")
@click.option("--wait", is_flag=True, help="Embed here and now, rather than leave it to a worker.")
@shared_options
@pass_choices
def activate(choices: Choices, name: str, force: bool, wait: bool) -> None:
    """Let the model NAME answer: the library is embedded anew in the background while the old model goes on."""
    from recto.operations.jobs import work
    from recto.operations.models import ModelActivateRequest, ModelRequest, models_activate, models_show

    with opened(choices) as session:
        done = models_activate(session.engine, ModelActivateRequest(name, force))
        if wait and done.job:
            work(session.engine, session.config.jobs)
            done = models_show(session.engine, ModelRequest(name))
    choices.answer(_answer(done))


@models.command("remove")
@click.argument("name")
@shared_options
@pass_choices
def remove(choices: Choices, name: str) -> None:
    """Delete the model NAME from this machine, if nothing uses it."""
    from recto.operations.models import models_remove

    with opened(choices) as session:
        gone = models_remove(session.engine, name)
    row = plain(gone)
    text: list[Line] = [(Part("removed ", "dim"), Part(gone.name, "title"))]
    choices.answer(Answer(row, [row], _COLUMNS, lambda width: text, brief=True))


@click.command()
@click.option("--name", default="mine", show_default=True, help="What to call the model.")
@click.option("-c", "--collection", "collections", multiple=True, help="Learn from this collection; may be repeated.")
@click.option("--static", is_flag=True, help="Fit a fast table in the encoder's space instead.")
@click.option("--base", default="", metavar="NAME|FOLDER", help="Begin with this model; the one that answers now.")
@click.option("--teacher", default="", metavar="NAME|FOLDER", help="Learn to find what this encoder finds, too.")
@click.option(
    "--pairs",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    metavar="FILE",
    help='More pairs, a line each: {"query": …, "positive": …}.',
)
@click.option("--epochs", type=float, metavar="N", help="How often each pair is seen.")
@click.option("--batch", type=click.IntRange(2), metavar="N", help="Pairs in one step.")
@click.option("--rate", type=float, metavar="R", help="The learning rate.")
@click.option("--seed", type=int, metavar="N", help="The same seed gives the same model on the same CPU.")
@click.option("--device", type=click.Choice(("cpu", "cuda")), help="A GPU is used where there is one.")
@click.option("--replace", is_flag=True, help="Take the place of a model of the same name.")
@click.option("--activate", is_flag=True, help="Let it answer if it is no worse on both checks.")
@click.option("--force", is_flag=True, help="With --activate: even if it is worse.")
@shared_options
@pass_choices
def finetune(choices: Choices, /, **given: Any) -> None:
    """Train the encoder on the library's own content, measure it, and register it.

    Headings ask for their sections, titles for what stands below them, docstrings for their code, commits for their
    changes, links for their targets. Every tenth document is held back. The model is measured on what was held
    back and on a set that ships with Recto. A run that is stopped goes on where it was when it is called again.
    """
    from recto.operations.finetune import FinetuneRequest, run_finetune
    from recto.operations.models import ModelActivateRequest, models_activate

    settings = {name: given[name] for name in ("epochs", "batch", "rate", "seed") if given[name] is not None}
    if given["static"] and "epochs" in settings:
        settings["epochs"] = max(1, round(settings["epochs"]))
    with opened(choices) as session:
        request = FinetuneRequest(
            name=given["name"],
            collections=given["collections"],
            static=given["static"],
            base=given["base"],
            teacher=given["teacher"],
            pairs=given["pairs"],
            settings=settings,
            device=given["device"],
            replace=given["replace"],
            command=shlex.join(["recto", *sys.argv[1:]]),
        )
        done = run_finetune(session.engine, request, progress(quiet=choices.quiet))
        job = None
        if given["activate"] and not given["static"] and (done.better or given["force"]):
            answer = models_activate(session.engine, ModelActivateRequest(done.model.name, given["force"]))
            job = answer.job
    choices.answer(_finetuned(done, job, asked=given["activate"]))


def _finetuned(done: Finetuned, job: int | None, *, asked: bool) -> Answer:
    row = {
        "name": done.model.name,
        "form": done.model.form,
        "path": str(done.model.path),
        "revision": done.model.profile.revision,
        "pairs": dict(done.pairs),
        "held": done.held,
        "dropped": done.dropped,
        "figures": {name: dict(pair) for name, pair in done.figures.items()},
        "better": done.better,
        "batch": done.batch,
        "job": job,
    }

    def text(width: int) -> Iterator[Line]:
        total = sum(done.pairs.values())
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in done.pairs.items())
        yield (Part(done.model.name, "title"), Part(f": {total:,} pairs ({kinds}), {done.held:,} held back"))
        for name, pair in done.figures.items():
            if done.model.form == "table":
                yield (Part(f"  {name}: nDCG@10 {pair['after']:.3f}"),)
            else:
                style = "good" if pair["after"] >= pair["before"] else "warn"
                yield (Part(f"  {name}: nDCG@10 {pair['before']:.3f} to "), Part(f"{pair['after']:.3f}", style))
        if job:
            yield (Part(f"Job {job} embeds the library with it; `recto worker --once` does it now.", "dim"),)
        elif asked and not done.better:
            yield (Part(f"Not activated: it is worse. `recto models activate {done.model.name} --force`", "warn"),)
        elif done.model.form == "encoder" and not asked:
            yield (Part(f"`recto models activate {done.model.name}` lets it answer.", "dim"),)

    return Answer(row, [row], ("name", "form", "revision", "better"), text)


def _answer(done: ModelAnswer) -> Answer:
    row = plain(done.model) | ({"job": done.job} if done.job else {})
    return Answer(row, [row], _COLUMNS, lambda width: _done(done), brief=True)


def _done(done: ModelAnswer) -> Iterator[Line]:
    yield from _lines((done.model,))
    if done.job:
        yield (Part(f"Job {done.job} embeds the library with it; `recto worker --once` does it now.", "dim"),)


def _lines(found: tuple[ModelShown, ...]) -> Iterator[Line]:
    styles = {"active": "good", "filling": "warn"}
    yield from columns(
        [
            (
                Part(one.name, "title"),
                Part(one.form),
                Part(one.state, styles.get(one.state, "dim")),
                Part(size(one.bytes), "dim"),
                Part("; ".join(one.problems) or _told(one), "bad" if one.problems else "dim"),
            )
            for one in found
        ]
    )


def _told(one: ModelShown) -> str:
    if one.form == "table":
        return f"in the space of {one.base}" if one.base else ""
    figures = [f"{name} {pair['before']:.3f} to {pair['after']:.3f}" for name, pair in one.figures.items()]
    return ", ".join(figures)
