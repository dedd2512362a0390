"""`octavo start`, `octavo try`, and `octavo` alone: a greeting, and from a folder to a library that answers."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import click

from octavo.config.layered_config_loading import load
from octavo.errors import NotIndexed
from octavo.fast_dataclass import replace
from octavo.interfaces.cli import output
from octavo.interfaces.cli.commands.index_and_watch import index_answer
from octavo.interfaces.cli.commands.search_and_replay import showing_options
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import exit_of, operation_of
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, Session, opened
from octavo.interfaces.cli.progress import progress
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.model.projects_and_collections import CollectionSettings
from octavo.operations.library.requests import AddRequest, IndexRequest
from octavo.operations.search.requests import SearchRequest
from octavo.operations.styled_answer_lines import Part, count
from octavo.version import __version__

if TYPE_CHECKING:
    from octavo.interfaces.serving.http_listener import Listening

_WAIT_FULL = "octavo index --wait-full"
_NEXT = (
    ('octavo search "a question"', "finds passages"),
    ('octavo ask "a question"', "answers from them"),
    ("octavo serve --open", "shows it in the browser, and takes in what changes"),
)


@command(examples=["octavo start observatory", "octavo start --open"])
@click.argument("folder", type=click.Path(exists=True, path_type=Path), default=Path())
@click.option("--name", metavar="NAME", help="What to call the folder in the library; else as it is called itself.")
@click.option("--open", "browse", is_flag=True, help="Then show the library in the browser, until Ctrl-C.")
@click.option("--tui", "terminal", is_flag=True, help="Then show the library in this terminal.")
def start(choices: Choices, folder: Path, name: str | None, browse: bool, terminal: bool) -> Exit:
    """Make a library, add a folder to it and read it.

    FOLDER is the one you are in unless you name another. A library that is there is used, and a folder that is in it is
    only brought up to date. Ctrl-C is safe at any moment: what was read stays, and `octavo start` goes on. In a
    terminal it asks whether to show a new folder in the browser; where nobody watches it asks and opens nothing.
    """
    if browse and terminal:
        raise click.UsageError("--open and --tui both say where to show it; give one of them.")
    return begin(choices, folder, name, browse=browse, terminal=terminal)


def begin(choices: Choices, folder: Path, name: str | None = None, *, browse: bool, terminal: bool = False) -> Exit:
    """All that `octavo start` does. Whoever watches a folder being added is asked whether to show it in the browser."""
    watched = output.on_terminal() and sys.stdin.isatty()
    with opened(choices, create=True) as session:
        added = _add(choices, session, folder, name)
        learns, exit_code = _read(choices, session)
        if watched and added and not (browse or terminal or choices.quiet):
            browse = click.confirm("\nShow it in the browser now?", default=True, err=True)
        if learns and not (browse or terminal):
            _learn(choices, session)
    if browse and watched:
        from octavo.interfaces.cli.commands.serve import show_library

        show_library(choices)
    elif terminal and watched:
        from octavo.interfaces.cli.commands.tui import run_tui

        run_tui(choices)
    return exit_code


def _add(choices: Choices, session: Session, folder: Path, name: str | None) -> bool:
    """Whether the folder is new to the library."""
    from octavo.operations.library.collections import add, holding

    within = None if name else holding(session.engine, folder)
    if within is not None:
        _tell(choices, f"{folder.resolve()} is in the library already: {within}.")
        return False
    collection = add(session.engine, AddRequest(folder=str(folder), name=name)).collection
    _tell(choices, f"The library is {session.library}. {collection.root} is {collection.name} in it.")
    return True


def _read(choices: Choices, session: Session) -> tuple[bool, Exit]:
    """Reads what is new. Whether full vectors are missing that a watched command computes, and how it went."""
    operation = operation_of("index")
    answer = operation.run(session.engine, IndexRequest(), progress(quiet=choices.quiet, named=_phase))
    learns = bool(answer.fast_vectors) and sys.stderr.isatty() and not choices.quiet
    if learns:  # what the advisory asks for is done next
        answer = replace(answer, advisories=tuple(item for item in answer.advisories if item.command != _WAIT_FULL))
    choices.answer(_with_next(index_answer(answer, verbose=choices.verbose)))
    return learns, exit_of(operation, answer)


def _learn(choices: Choices, session: Session) -> None:
    bar = progress(quiet=choices.quiet, named=_phase)
    _tell(choices, "\nYou can search already, in another terminal: this one learns what the passages mean.")
    try:
        session.engine.index(wait_full=True, progress=bar)
        _tell(choices, "All passages are learnt.")
    except KeyboardInterrupt:
        bar.finish()
        _tell(choices, "Stopped. Whoever searches or serves the library learns the rest.")


def _phase(name: str) -> str:
    """What the bar says of a phase: everything before full vectors has to be done for the first search."""
    return "learning" if name == "embedding" else f"{name}; then you can search"


def _with_next(answer: Answer) -> Answer:
    width = max(len(typed) for typed, _ in _NEXT)
    steps = [(Part(f"  {typed:{width}}"), Part(f"  {purpose}", "dim")) for typed, purpose in _NEXT]
    lines = answer.text
    return replace(answer, text=lambda columns: [*lines(columns), (), (Part("Now:"),), *steps])


def _tell(choices: Choices, text: str) -> None:
    if not choices.quiet:
        click.echo(text, err=True)


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


_LOOKED_AT = 1_000  # entries: a greeting does not walk a disk


def welcome() -> Exit:
    """Says what is here and what to do next. A library that cannot be opened is told as every command would."""
    folder, asks = Path.cwd(), False
    try:
        with opened(Choices()) as session:
            here, steps = _with_library(session, folder)
    except NotIndexed:
        readable = _has_documents(folder)
        here, steps = _without_library(readable)
        asks = readable and output.on_terminal() and sys.stdin.isatty()
    steps.append(("octavo --help", "everything else"))
    width = max(len(command) for command, _ in steps)
    lines = [(Part(f"Octavo {__version__}", "title"),), (Part(here),), ()]
    lines += [(Part(f"  {command:{width}}"), Part(f"  {why}", "dim")) for command, why in steps]
    Choices().answer(Answer({}, [], (), lambda _: lines))
    if asks and click.confirm("\nStart now, and show the library in the browser?", default=True, err=True):
        return begin(Choices(), folder, browse=True)
    return Exit.OK


def _without_library(readable: bool) -> tuple[str, list[tuple[str, str]]]:
    if not readable:
        return "There is no library yet, and nothing in this folder to read.", [
            ("octavo start FOLDER", "makes one of your notes, documents or code")
        ]
    return "There is no library yet. This folder has files to read.", [
        ('octavo try . "a question"', "answers at once and leaves nothing behind"),
        ("octavo start", "makes a library that stays, and reads this folder"),
    ]


def _with_library(session: Session, folder: Path) -> tuple[str, list[tuple[str, str]]]:
    counts = session.engine.store.counts(session.engine.project.id)
    roots = session.roots()
    here = (
        f"The library is {session.library}: {count(counts.documents, 'document')} in {count(len(roots), 'collection')}."
    )
    steps: list[tuple[str, str]] = []
    if not any(folder.is_relative_to(root) for root in roots.values()) and _has_documents(folder):
        steps.append(("octavo start", "adds and reads this folder, which is not in it"))
    elif not roots:
        steps.append(("octavo start FOLDER", "adds and reads your notes, documents or code"))
    elif not counts.documents:
        steps.append(("octavo index", "reads what is new"))
    if counts.documents:
        steps += [('octavo search "a question"', "finds passages"), ('octavo ask "a question"', "answers from them")]
    return here, steps


def _has_documents(folder: Path) -> bool:
    """Whether a first look finds a file that would be indexed; a home folder is nobody's collection."""
    from octavo.engine.wiring.collection_sources import file_rules

    endings = file_rules(load({}).config, CollectionSettings()).extensions - {""}
    return folder != Path.home() and any(
        Path(name).suffix.lower() in endings for name in islice(_names(folder), _LOOKED_AT)
    )


def _names(folder: Path) -> Iterator[str]:
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from ("", *files)  # a folder counts as looked at too
