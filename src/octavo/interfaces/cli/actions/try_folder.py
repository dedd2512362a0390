"""`octavo try`: a folder, a question, an answer, and nothing left behind."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from octavo.dataclass import replace
from octavo.errors import NotIndexed
from octavo.interfaces.cli.actions.search import answer
from octavo.interfaces.cli.actions.try_in_browser import serve_in_browser
from octavo.interfaces.cli.errors import Exit
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.cli.progress import progress
from octavo.interfaces.cli.session import Session, opened
from octavo.operations.library.collections import add
from octavo.operations.library.indexing import answered
from octavo.operations.library.lines import index_summary
from octavo.operations.library.requests import AddRequest
from octavo.operations.search.finding import find
from octavo.operations.search.requests import SearchRequest


def try_folder(
    choices: Choices,
    folder: Path,
    words: tuple[str, ...],
    limit: int | None,
    profile: str | None,
    explain: bool,
    full: bool,
    max_chars: int | None,
    browse: bool,
) -> Exit:
    if not words and not browse:
        raise click.UsageError("Give a QUESTION, or --open to look at the folder in the browser.")
    with (
        tempfile.TemporaryDirectory(prefix="octavo-") as temporary,
        opened(choices, create=True, library=Path(temporary) / "library.db") as session,
    ):
        engine, defaults = session.engine, session.config.retrieval
        add(engine, AddRequest(None, str(folder)))
        _index(session, choices)
        if not engine.freshness().documents:
            raise NotIndexed(f"nothing in {folder} can be indexed", hint="give a folder with Markdown or text files")
        if browse:
            serve_in_browser(choices, Path(temporary) / "library.db", " ".join(words))
            return Exit.OK
        request = SearchRequest(
            query=" ".join(words),
            limit=limit or defaults.limit,
            profile=profile or defaults.profile,
            max_excerpt_chars=max_chars or defaults.max_excerpt_chars,
        )
        result = find(engine, request)
        roots = session.roots()
    answer(choices, result, roots, full=full, explain=explain)
    return Exit.OK if result.hits else Exit.NO_MATCH


def _index(session: Session, choices: Choices) -> None:
    shown = progress(quiet=choices.quiet)
    report = session.engine.index(embed=False, progress=shown)
    try:
        second = session.engine.index(progress=shown)
    except KeyboardInterrupt:
        shown.finish()
        _note(choices, "stopped computing vectors; answering with those there are")
        return
    both = replace(report, embedded=second.embedded, seconds=report.seconds + second.seconds)
    _note(choices, index_summary(answered(both)))


def _note(choices: Choices, text: str) -> None:
    if not choices.quiet and sys.stderr.isatty():
        click.echo(text, err=True)
