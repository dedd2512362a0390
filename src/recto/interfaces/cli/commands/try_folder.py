"""`recto try`: a folder, a question, an answer, and nothing left behind."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import click

from recto.errors import NotIndexed
from recto.interfaces.cli.commands.index import summary
from recto.interfaces.cli.commands.library import collection_name
from recto.interfaces.cli.commands.search import showing_options
from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.progress import progress
from recto.interfaces.cli.results import result_answer
from recto.interfaces.cli.session import Session, opened


@click.command("try")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("words", nargs=-1, required=True, metavar="QUESTION...")
@showing_options
@shared_options
@pass_choices
def try_folder(
    choices: Choices,
    folder: Path,
    words: tuple[str, ...],
    limit: int | None,
    profile: str | None,
    explain: bool,
    full: bool,
    max_chars: int | None,
) -> Exit:
    """Index a folder into a temporary library and ask it something.

    The library is deleted afterwards. Ctrl-C while vectors are computed answers with what there is by then.
    """
    from recto.model.collection import CollectionSettings
    from recto.operations.finding import SearchRequest, find

    with (
        tempfile.TemporaryDirectory(prefix="recto-") as aside,
        opened(choices, create=True, library=Path(aside) / "library.db") as session,
    ):
        engine, defaults = session.engine, session.config.retrieval
        engine.add_collection(collection_name(folder.resolve()), folder, CollectionSettings())
        _index(session, choices)
        if not engine.freshness().documents:
            raise NotIndexed(f"nothing in {folder} can be indexed", hint="give a folder with Markdown or text files")
        request = SearchRequest(
            query=" ".join(words),
            limit=limit or defaults.limit,
            profile=profile or defaults.profile,
            max_excerpt_chars=max_chars or defaults.max_excerpt_chars,
        )
        result = find(engine, request)
        roots = session.roots()
    choices.answer(result_answer(result, roots, full=full, explain=explain))
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
    _note(choices, summary(both))


def _note(choices: Choices, text: str) -> None:
    if not choices.quiet and sys.stderr.isatty():
        click.echo(text, err=True)
