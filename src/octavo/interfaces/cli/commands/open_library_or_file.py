"""`octavo open`: the library in the browser, or the file behind a hit in the program that shows such files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import webbrowser
from pathlib import Path

import click

from octavo.engine.search.containing_file_on_disk import containing_file
from octavo.errors import NotFound
from octavo.interfaces.cli.commands.serve import show_library
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.model.converted_file import position
from octavo.operations.styled_answer_lines import Part

# Viewers of PDF that can be told a page, and how; the first that is installed is used.
_VIEWERS = {"evince": "--page-index={page}", "okular": "--page={page}", "zathura": "--page={page}"}


@command(name="open", examples=['octavo open "observing/Closing down.md" --print'])
@click.argument("reference", metavar="[REF]", required=False)
@click.option("-c", "--collection", metavar="NAME", help="The collection it is in.")
@click.option("--page", type=click.IntRange(1), metavar="N", help="At this page rather than that of the passage.")
@click.option("--print", "only_print", is_flag=True, help="Only print the address.")
def open_file(
    choices: Choices, reference: str | None, collection: str | None, page: int | None, only_print: bool
) -> None:
    """Open the library in the browser, or the file of a hit at its page.

    REF is what `octavo get` takes: a uri, a link such as papers/a.pdf#page=7, or the id of a chunk. Without it the
    library is served to this machine until Ctrl-C, as by `octavo serve --open`.
    """
    from octavo.operations.query_log.query_logging_and_listing import log_opened
    from octavo.retrieval.reference_resolution import read_passage

    if reference is None:
        _open_page(choices, only_print)
        return
    with opened(choices) as session:
        passage = read_passage(session.engine, reference, collection)
        root = session.roots().get(passage.document.collection)
        if session.engine.logs_queries and not only_print:
            log_opened(session.engine, passage.document.id)
    path = containing_file(root, passage.document.uri) if root is not None else None
    if path is None or not path.is_file():
        raise NotFound(
            f"{passage.document.uri} is not a file on this machine", hint="`octavo get` reads what is stored"
        )
    inside = path.name != passage.document.uri.rpartition("/")[2]
    # A viewer shows the message or the archive: the page is that of a file in it.
    page = None if inside else page or position(passage.document.metadata, passage.span).page
    address = path.as_uri() + (f"#page={page}" if page else "")
    if not only_print:
        _show(path, address, page)
    row = {"path": str(path), "page": page, "address": address}
    choices.answer(
        Answer(row, [row], tuple(row), lambda width: [(Part(address),)], files=[str(path)], brief=not only_print)
    )


def _open_page(choices: Choices, only_print: bool) -> None:
    from octavo.interfaces.http.server_token import read_token

    settings = choices.config().serve
    if only_print:
        token = read_token(settings)
        row = {"address": f"http://{settings.host}:{settings.port}/" + (f"login?token={token}" if token else "")}
        choices.answer(Answer(row, [row], tuple(row), lambda width: [(Part(row["address"]),)]))
        return
    show_library(choices)


def _show(path: Path, address: str, page: int | None) -> None:
    if page and path.suffix.lower() == ".pdf":
        viewer = next((name for name in _VIEWERS if shutil.which(name)), None)
        if viewer is not None:
            option = _VIEWERS[viewer].format(page=page)
            subprocess.Popen([viewer, option, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        else:
            webbrowser.open(address)
    elif sys.platform == "win32":
        os.startfile(path)
    else:
        opener = "open" if sys.platform == "darwin" else "xdg-open"
        if shutil.which(opener):
            subprocess.Popen([opener, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        else:
            webbrowser.open(address)
