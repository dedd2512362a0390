"""`octavo try --open`: a temporary library in the browser, for as long as somebody looks."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from urllib.parse import urlencode

import click

from octavo.config.load import load
from octavo.interfaces.calls import Calls, opened
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.serving.server import Listening, serve


def serve_in_browser(choices: Choices, library: Path, query: str) -> None:
    """Serves on a free port of this machine until Ctrl-C, and opens the page with the question."""
    own = {"library": library, "serve.host": "127.0.0.1", "serve.port": 0, "serve.write": False}
    config = load(choices.flags() | own).config

    def asking(page: str) -> str:
        return f"{page}{'&' if '?' in page else '?'}{urlencode({'q': query})}" if query else page

    def listening(where: Listening) -> None:
        if not choices.quiet:
            click.echo(f"Look at {asking(where.page)} (Ctrl-C ends it and deletes the library)", err=True)
        webbrowser.open(asking(where.invitation))

    serve(Calls(lambda: opened(config)), config.serve, "default", listening)
