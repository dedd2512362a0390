"""`recto status` and `recto doctor`: what the library holds, and whether anything is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from recto.interfaces.cli import served
from recto.interfaces.cli.commands.library import collection_lines
from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.layout import Line, Part, columns, count, size
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.session import opened
from recto.operations.plain import plain

if TYPE_CHECKING:
    from recto.engine.builds import Build
    from recto.operations.status import Check, Status, StatusAnswer

_COLLECTION_COLUMNS = ("name", "root", "present", "indexed", "skipped", "failed")
_AT_WORK = ("watching", "polling")
_PROBLEM_COLUMNS = ("collection", "uri", "outcome", "reason", "warnings")


@click.command()
@click.option("--problems", is_flag=True, help="Every file that failed, was skipped or has a warning, with the reason.")
@shared_options
@pass_choices
def status(choices: Choices, problems: bool) -> None:
    """Say what the library holds, and what a running server watches."""
    from recto.operations.status import answered, look

    with opened(choices) as session:
        found = look(session.engine)
        told = answered(session.engine, found)
        watched = served.watching(session.config)
    choices.answer(_problems_answer(found, told) if problems else _status_answer(found, told, watched))


def _status_answer(found: Status, told: StatusAnswer, watched: dict[str, Any] | None) -> Answer:
    data = plain(replace(told, problems=None))
    if watched is not None:
        data["watch"] = watched  # this process watches nothing; the server does
    files = [told.library]
    lines = partial(_status_text, found, told, watched)
    return Answer(data, data["collections"], _COLLECTION_COLUMNS, lambda width: lines(), files=files)


def _status_text(found: Status, told: StatusAnswer, watched: dict[str, Any] | None) -> Iterator[Line]:
    from recto.operations.status import offline_text

    counts = found.counts
    held = f"{count(counts.documents, 'document')}, {count(counts.chunks, 'chunk')}, {size(counts.text_bytes)} of text"
    facts = [
        ("library", f"{found.library} ({size(found.library_bytes)})"),
        ("project", found.project),
        ("holds", held),
        ("vectors", f"{found.full_vectors:.0%} of chunks"),
        ("model", found.recipe.embedding.name if found.recipe else "nothing is indexed yet"),
    ]
    if found.build:
        facts.append(("indexing", _under_way(found.build)))
    if watched is not None:
        facts.append(("watched", _watched(watched)))
    facts += [(one.name.replace("_", " "), offline_text(one)) for one in told.offline]
    yield from columns([(Part(name, "dim"), Part(value)) for name, value in facts])
    for one in found.advisories:
        yield Part(f"{one.level}: ", "warn" if one.level == "warn" else "dim"), Part(str(one))
    if found.collections:
        yield ()
        yield from collection_lines(list(found.collections))


def _watched(told: dict[str, Any]) -> str:
    """`2 folders, by the server; 3 changes wait`"""
    if not told["watching"]:
        return "no folder; a server runs and does not watch"
    waiting = f"; {count(told['queued'], 'change')} wait" if told["queued"] else ""
    odd = [f"{one['collection']} is {one['state']}" for one in told["folders"] if one["state"] not in _AT_WORK]
    return "; ".join([f"{count(len(told['folders']), 'folder')}, by the server{waiting}", *odd])


def _under_way(build: Build) -> str:
    """`changed, embedding: 640 of 2,000 chunks, in process 4711`"""
    told = [build.scope]
    if build.phase:
        amount = size(build.done) if build.unit == "B" else f"{build.done:,}"
        whole = "" if build.total is None else f" of {size(build.total) if build.unit == 'B' else f'{build.total:,}'}"
        told.append(f"{build.phase}: {amount}{whole}" + ("" if build.unit == "B" else f" {build.unit}"))
    return ", ".join([*told, *([f"in process {build.process}"] if build.process else [])])


def _problems_answer(found: Status, told: StatusAnswer) -> Answer:
    rows = plain(told.problems)
    files = [str(one.collection.root / entry.uri) for one in found.collections for entry in one.problems]
    styles = {"failed": "bad", "skipped": "dim", "indexed": "warn"}

    def text(width: int) -> Iterator[Line]:
        for row in rows:
            reasons = "; ".join(filter(None, (row["reason"], *row["warnings"])))
            outcome = "warning" if row["outcome"] == "indexed" else row["outcome"]
            yield Part(f"{row['collection']}/{row['uri']}"), Part(f"  {outcome}: {reasons}", styles[row["outcome"]])
        if not rows:
            yield (Part("No file failed, was skipped or has a warning."),)

    return Answer({"problems": rows}, rows, _PROBLEM_COLUMNS, text, files=files)


@click.command()
@shared_options
@pass_choices
def doctor(choices: Choices) -> Exit:
    """Look for anything that is wrong, and say what to do. Exit code 6 means that something is."""
    from recto.operations.status import doctor as examine

    with opened(choices) as session:
        checks = examine(session.engine)
    rows = [plain(check) for check in checks]
    well = all(check.ok for check in checks)
    data = {"ok": well, "checks": rows}
    choices.answer(Answer(data, rows, ("name", "ok", "message", "hint"), lambda width: _checks(checks)))
    return Exit.OK if well else Exit.PARTIAL


def _checks(checks: tuple[Check, ...]) -> Iterator[Line]:
    for check in checks:
        mark = Part("ok     ", "good") if check.ok else Part("wrong  ", "bad")
        yield mark, Part(check.name, "title"), Part(f": {check.message}")
        if check.hint and not check.ok:
            yield Part("       "), Part(check.hint, "dim")
