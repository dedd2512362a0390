"""`octavo serve`: the library over HTTP, and MCP over HTTP beside it."""

from __future__ import annotations

import gc
import socket
import webbrowser
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from octavo.config.schema import Config
from octavo.errors import StorageError
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.global_options import Choices, tools_option
from octavo.observability.logs import configure
from octavo.operations.operation_lookup import chosen

if TYPE_CHECKING:
    from octavo.interfaces.execution.async_operation_calls import Calls
    from octavo.interfaces.execution.search_process_pool import Runs
    from octavo.interfaces.serving.http_listener import Listening


@command(examples=["octavo serve", "octavo serve --port 8080 --tools full"])
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
def serve(
    choices: Choices,
    host: str | None,
    port: int | None,
    token_file: Path | None,
    no_token: bool,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    write: bool | None,
    tools: str,
    watch: bool | None,
    show: bool,
) -> None:
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
    given: dict[str, Any] = {
        "serve.host": host,
        "serve.port": port,
        "serve.token_file": token_file,
        "serve.require_token": False if no_token else None,
        "serve.allow_hosts": hosts or None,
        "serve.allow_origins": origins or None,
        "serve.write": write,
        "watch.enabled": watch,
    }
    serve_library(choices, given, tools, show=show)


def serve_library(choices: Choices, given: dict[str, Any], tools: str, *, show: bool) -> None:
    """Serves with the settings that are given and not None; `show` opens the page."""
    from octavo.config.config_file_reloading import load_with_files
    from octavo.interfaces.execution.async_operation_calls import Calls, following, opened
    from octavo.interfaces.execution.search_process_pool import ProcessPool
    from octavo.interfaces.http.server_token import token_path
    from octavo.interfaces.serving.http_listener import serve as listen

    flags = choices.flags() | {name: value for name, value in given.items() if value is not None}
    config, files = load_with_files(flags)
    chosen(tools)
    configure("info" if choices.verbose else config.log_level, format=config.log_format)

    def listening(where: Listening) -> None:
        if not choices.quiet:
            click.echo(f"Serving {where.address} (MCP at {where.address}/mcp)", err=True)
            if config.serve.require_token and config.serve.token_file is None:
                click.echo(f"Open {where.page}", err=True)
                click.echo(f"Programs give the token in {token_path()}", err=True)
        if not config.serve.require_token:
            warned = "without a token every account on this machine reads and changes this library"
            click.echo(f"warning: {warned}", err=True)
        if show:
            webbrowser.open(where.invitation)

    count = config.serve.search_processes
    processes = ProcessPool(partial(searching, flags), count) if count > 1 else None
    calls = Calls(lambda: opened(config), follow=following(config, files), processes=processes)
    beside, further = _sockets(config, calls)
    listen(calls, config.serve, tools, listening, beside, further, config.oauth)


def show_library(choices: Choices) -> None:
    """Serves and opens the page: at any free port where a server, of another library perhaps, has the usual one."""
    settings = choices.config().serve
    port = None if _is_free(settings.host, settings.port) else 0
    serve_library(choices, {"serve.port": port}, "default", show=True)


def _is_free(host: str, port: int) -> bool:
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return True
    except OSError:
        return False


def searching(flags: dict[str, Any]) -> Runs:
    """For a process beside the server: the same library, of which it neither watches the folders nor does the work."""
    from octavo.config.config_file_reloading import load_with_files
    from octavo.engine.wiring import open_engine
    from octavo.interfaces.execution.async_operation_calls import Calls, following

    config, files = load_with_files(flags)
    configure(config.log_level, format=config.log_format)
    calls = Calls(lambda: open_engine(config), follow=following(config, files))
    calls.engine()
    # What is there now stays, and a search makes thousands of values that are gone after it: looking through them all
    # for cycles took a thirtieth of the time.
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    return calls.run


def _sockets(config: Config, calls: Calls) -> tuple[Callable[[], Awaitable[None]] | None, tuple[socket.socket, ...]]:
    """Other clients of the library are served from here too, unless another server is there already; and programs that
    speak HTTP, without a token: only this account can reach the socket."""
    from octavo.interfaces.daemon.client import greeting
    from octavo.interfaces.daemon.server import AlreadyRunning, Server, bind_private, key_of
    from octavo.interfaces.daemon.socket_address import available, place

    if not available() or not config.daemon.enabled:
        return None, ()

    ours, address = greeting(config, "about"), place(config)
    server = Server(address, float("inf"), {key_of(ours.settings, ours.profiles): calls})
    try:
        bound = server.listen()
    except (AlreadyRunning, StorageError):
        return None, ()
    further = bind_private(address.http)

    async def run() -> None:
        try:
            await server.run(bound)
        finally:
            address.http.unlink(missing_ok=True)
            server.close()

    return run, (further,)
