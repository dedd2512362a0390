"""`recto serve`: the library over HTTP, and MCP over HTTP beside it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recto.errors import StorageError
from recto.interfaces.cli.options import Choices, pass_choices, shared_options

if TYPE_CHECKING:
    from recto.config.schema import Config
    from recto.interfaces.calls import Calls


@click.command()
@click.option("--host", metavar="ADDRESS", help="Where to listen; 127.0.0.1 unless said.")
@click.option("--port", type=click.IntRange(0, 65_535), metavar="N", help="The port; 0 takes any free one.")
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Callers must give the token in this file; needed to listen elsewhere than on this machine.",
)
@click.option("--allow-host", "hosts", multiple=True, metavar="NAME", help="Another name this server is asked by.")
@click.option("--allow-origin", "origins", multiple=True, metavar="ORIGIN", help="A web page's origin that may ask.")
@click.option("--tools", default="default", metavar="SET", help="The MCP tools: default, full, or names with commas.")
@click.option(
    "--watch/--no-watch", default=None, help="Take in what changes in the folders meanwhile; it does unless said."
)
@shared_options
@pass_choices
def serve(
    choices: Choices,
    host: str | None,
    port: int | None,
    token_file: Path | None,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    tools: str,
    watch: bool | None,
) -> None:
    """Serve the library over HTTP, and MCP over HTTP beside it.

    \b
    POST /v1/OPERATION              every operation, as /openapi.json describes it
    POST /query_documents           search; /query_documents_stream sends hits one at a time
    GET  /health /readyz /status /metrics
         /mcp                       for MCP clients

    It listens on this machine only, unless --host and --token-file say otherwise. SIGTERM or Ctrl-C ends it once what
    was asked before is answered.
    """
    from recto.config.following import loaded
    from recto.interfaces.calls import Calls, following, opened
    from recto.interfaces.http.server import serve as listen
    from recto.observability.logs import configure
    from recto.operations.table import chosen

    given: dict[str, Any] = {
        "serve.host": host,
        "serve.port": port,
        "serve.token_file": token_file,
        "serve.allow_hosts": hosts or None,
        "serve.allow_origins": origins or None,
        "watch.enabled": watch,
    }
    config, files = loaded(choices.flags() | {name: value for name, value in given.items() if value is not None})
    chosen(tools)
    configure("info" if choices.verbose else "warning")

    def listening(address: str) -> None:
        if not choices.quiet:
            click.echo(f"Serving {address} (MCP at {address}/mcp)", err=True)

    calls = Calls(lambda: opened(config), follow=following(config, files))
    listen(calls, config.serve, tools, listening, _socket(config, calls))


def _socket(config: Config, calls: Calls) -> Callable[[], Awaitable[None]] | None:
    """Other clients of the library are served from here too, unless another server is there already."""
    from recto.interfaces.daemon.address import available

    if not available() or not config.daemon.enabled:
        return None
    from recto.interfaces.daemon.address import place
    from recto.interfaces.daemon.client import greeting
    from recto.interfaces.daemon.server import AlreadyRunning, Server, key_of

    ours = greeting(config, "about")
    server = Server(place(config), float("inf"), {key_of(ours.settings, ours.profiles): calls})
    try:
        bound = server.listen()
    except (AlreadyRunning, StorageError):
        return None

    async def run() -> None:
        try:
            await server.run(bound)
        finally:
            server.close()

    return run
