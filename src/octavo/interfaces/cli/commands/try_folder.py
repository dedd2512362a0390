"""`octavo try`: a folder, a question, an answer, and nothing left behind."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import click

from octavo.errors import NotIndexed
from octavo.fast_dataclass import replace
from octavo.interfaces.cli.commands.search_and_replay import showing_options
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, Session, opened
from octavo.interfaces.cli.progress import progress
from octavo.operations.library.requests import AddRequest
from octavo.operations.search.requests import SearchRequest

if TYPE_CHECKING:
    from octavo.interfaces.serving.http_listener import Listening


@command(name="try", examples=["octavo try observatory when does the dome have to close"])
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("words", nargs=-1, metavar="QUESTION...")
@click.option("--open", "browse", is_flag=True, help="Show it in the browser until Ctrl-C, with or without a question.")
@showing_options
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
    """Index a folder into a temporary library and ask it something.

    The library is deleted afterwards. Ctrl-C while vectors are computed answers with what there is by then.
    """
    from octavo.interfaces.cli.local_search_and_output import answer
    from octavo.operations.library.collections import add
    from octavo.operations.search.search_execution import find

    if not words and not browse:
        raise click.UsageError("Give a QUESTION, or --open to look at the folder in the browser.")
    with (
        tempfile.TemporaryDirectory(prefix="octavo-") as temporary,
        opened(choices, create=True, library=Path(temporary) / "library.db") as session,
    ):
        engine, defaults = session.engine, session.config.retrieval
        add(engine, AddRequest(str(folder)))
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


def serve_in_browser(choices: Choices, library: Path, query: str) -> None:
    """Serves on a free port of this machine until Ctrl-C, and opens the page with the question."""
    from octavo.interfaces.execution.async_operation_calls import Calls, opened
    from octavo.interfaces.serving.http_listener import serve

    own = {"library": library, "serve.host": "127.0.0.1", "serve.port": 0, "serve.write": False}
    config = choices.config(own)

    def asking(page: str) -> str:
        return f"{page}{'&' if '?' in page else '?'}{urlencode({'q': query})}" if query else page

    def listening(where: Listening) -> None:
        if not choices.quiet:
            click.echo(f"Look at {asking(where.page)} (Ctrl-C ends it and deletes the library)", err=True)
        webbrowser.open(asking(where.invitation))

    serve(Calls(lambda: opened(config)), config.serve, "default", listening)


def _index(session: Session, choices: Choices) -> None:
    from octavo.operations.library.indexing import answered
    from octavo.operations.library.rendering import index_summary

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
