"""`octavo open`: the library in the browser, or the file behind a hit in the program that shows such files."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import webbrowser
from importlib import import_module
from pathlib import Path

from octavo.config.load import load
from octavo.engine.containing_file import containing_file
from octavo.errors import NotFound
from octavo.interfaces.access_token import read_token
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.cli.session import opened
from octavo.interfaces.presenting.formats import Answer
from octavo.model.position import position
from octavo.operations.lines import Part
from octavo.operations.queries.queries import log_opened
from octavo.retrieval.passages import read_passage

# Viewers of PDF that can be told a page, and how; the first that is installed is used.
_VIEWERS = {"evince": "--page-index={page}", "okular": "--page={page}", "zathura": "--page={page}"}


def open_file(
    choices: Choices, reference: str | None, collection: str | None, page: int | None, only_print: bool
) -> None:
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
    settings = load(choices.flags()).config.serve
    if only_print:
        token = read_token(settings)
        row = {"address": f"http://{settings.host}:{settings.port}/" + (f"login?token={token}" if token else "")}
        choices.answer(Answer(row, [row], tuple(row), lambda width: [(Part(row["address"]),)]))
        return
    # A server of another library may be there: then any free port will do. Imported on use: it brings the whole server.
    port = None if _is_free(settings.host, settings.port) else 0
    import_module("octavo.interfaces.cli.actions.serve").serve_page(choices, port)


def _is_free(host: str, port: int) -> bool:
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return True
    except OSError:
        return False


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
