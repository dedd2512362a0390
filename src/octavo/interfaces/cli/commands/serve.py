"""`octavo serve`: the library over HTTP, and MCP over HTTP beside it."""

from __future__ import annotations

from pathlib import Path

import click

from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.options import tools_option


@command(action="serve:serve", examples=["octavo serve", "octavo serve --port 8080 --tools full"])
@click.option("--host", metavar="ADDRESS", help="Where to listen.", show_default="serve.host")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="N",
    help="The port; 0 takes any free one.",
    show_default="serve.port",
)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Callers must give the token in this file; needed to listen elsewhere than on this machine.",
)
@click.option("--no-token", is_flag=True, help="Let every account on this machine read and change the library.")
@click.option("--allow-host", "hosts", multiple=True, metavar="NAME", help="Another name this server is asked by.")
@click.option("--allow-origin", "origins", multiple=True, metavar="ORIGIN", help="A web page's origin that may ask.")
@click.option("--write", is_flag=True, default=None, help="Let the page change things.")
@tools_option
@click.option(
    "--watch/--no-watch",
    default=None,
    help="Whether to take in what changes in the folders meanwhile.",
    show_default="watch.enabled",
)
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
def serve() -> None:
    """Serve the library to browsers and programs over HTTP, and to MCP clients.

    \b
    GET  /                          the page: search as you type, documents, memories, the library
    POST /v1/OPERATION              every operation, as /openapi.json describes it
    POST /query_documents           search; /query_documents_stream sends hits one at a time
    GET  /health /readyz /status /metrics
         /mcp                       for MCP clients

    It listens on this machine only, unless --host and --token-file say otherwise. Callers give a token, which is made
    at the first start and which only this account can read; the address that is printed lets a browser in. SIGTERM or
    Ctrl-C ends it once what was asked before is answered.
    """
