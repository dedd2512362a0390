"""`recto index`: bring the library in step with its folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from recto.interfaces.cli import completing
from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.layout import Line, Part, count, duration, size
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.progress import progress
from recto.interfaces.cli.session import opened
from recto.model.commit import is_repository

if TYPE_CHECKING:
    from recto.engine.parts import IndexReport
    from recto.ingest.report import CollectionReport, Problem
    from recto.model.advisory import Advisory

_COLUMNS = ("name", "added", "changed", "moved", "removed", "unchanged", "chunks", "bytes", "skipped", "failed")
_PATIENCE = 2.0  # seconds: what a watcher does is mostly over by then
_SHOWN = 10  # problems printed unless --verbose asks for all


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=completing.collections)
@click.option("--embed/--no-embed", default=True, help="Compute vectors too, or leave them to the next run.")
@click.option("--wait-full", is_flag=True, help="Stay until every chunk has its full vector.")
@click.option("--wait", is_flag=True, help="Go after a run of another process, rather than end with exit code 5.")
@shared_options
@pass_choices
def index(choices: Choices, names: tuple[str, ...], embed: bool, wait_full: bool, wait: bool) -> Exit:
    """Bring the library in step with its folders: all of them, or the named collections.

    A large folder is searchable by word and by fast vectors first; its full vectors are computed by whoever works in
    the background: a server, `recto watch`, `recto worker`, or this command with --wait-full.

    Only what changed is read. Ctrl-C at any moment leaves a valid library, and the next run goes on from there.
    """
    from recto.operations.index import advice, complete

    with opened(choices) as session:
        report = session.engine.index(
            names,
            embed=embed,
            wait_full=wait_full,
            progress=progress(quiet=choices.quiet),
            patience=None if wait else _PATIENCE,
        )
        left = advice(session.engine)
    whole = complete(report)
    choices.answer(report_answer(report, verbose=choices.verbose, brief=whole, advice=left))
    return Exit.OK if whole else Exit.PARTIAL


def report_answer(report: IndexReport, *, verbose: bool, brief: bool, advice: Sequence[Advisory] = ()) -> Answer:
    from recto.operations.index import as_json

    data = as_json(report) | {"advisories": [asdict(one) for one in advice]}
    rows = data["collections"]
    most = None if verbose else _SHOWN
    return Answer(
        data=data,
        rows=rows,
        columns=_COLUMNS,
        cells=lambda: [[len(row[c]) if isinstance(row[c], list) else row[c] for c in _COLUMNS] for row in rows],
        text=lambda width: _text(report, most, advice),
        brief=brief,
    )


def _text(report: IndexReport, most: int | None, advice: Sequence[Advisory]) -> Iterator[Line]:
    for one in report.collections:
        yield Part(one.name, "title"), Part(": " + _done(one))
        yield from _problems(one.failed, "failed", "bad", most)
        yield from _problems([each for each in one.skipped if is_repository(each.uri)], "not read", "warn", most)
        yield from _problems(one.unreadable, "could not be looked at; what it held is kept", "bad", most)
        if most is None:
            yield from _problems(one.warned, "warning", "warn", most)
            yield from _problems(one.skipped, "skipped", "dim", most)
    for missing in report.missing:
        yield Part(missing.uri, "title"), Part(f": {missing.reason}; what it held is kept", "bad")
    yield (Part(summary(report), "dim"),)
    for each in advice:
        yield Part(f"{each.level}: ", "warn" if each.level == "warn" else "dim"), Part(str(each))


def _done(one: CollectionReport) -> str:
    figures = {
        "added": one.added,
        "changed": one.changed,
        "moved": one.moved,
        "removed": one.removed,
        "unchanged": one.unchanged,
        "skipped": len(one.skipped),
        "with warnings": len({problem.uri for problem in one.warned}),
        "failed": len(one.failed),
    }
    told = [f"{number:,} {word}" for word, number in figures.items() if number]
    told += [f"{count(one.commits, 'commit')} added"] if one.commits else []
    told += [f"{count(one.commits_removed, 'commit')} removed"] if one.commits_removed else []
    return ", ".join(told) or "nothing to index"


def _problems(problems: Iterable[Problem], word: str, style: str, most: int | None) -> Iterator[Line]:
    listed = list(problems)
    for problem in listed[:most]:
        yield Part("  "), Part(problem.uri or "."), Part(f" {word}: {problem.reason}", style)
    if most is not None and len(listed) > most:
        yield (Part(f"  … and {len(listed) - most} more; --verbose shows all", "dim"),)


def summary(report: IndexReport) -> str:
    """One line that says what a run did and how long it took."""
    read = sum(one.bytes for one in report.collections)
    chunks = sum(one.chunks for one in report.collections)
    vectors = f", {count(report.embedded, 'vector')}" if report.embedded else ""
    vectors += f", {count(report.fast, 'fast vector')}" if report.fast else ""
    return f"{size(read)} read, {count(chunks, 'chunk')} written{vectors} in {duration(report.seconds)}"
