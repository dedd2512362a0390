"""`octavo serve`: HTTP, MCP over HTTP, and the socket of the library's other clients, in one process."""

from __future__ import annotations

import gc
import socket
import webbrowser
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from octavo.config.reloading import load_with_files
from octavo.config.schema import Config
from octavo.engine.wiring import open_engine
from octavo.errors import StorageError
from octavo.interfaces.access_token import token_path
from octavo.interfaces.calls import Calls, following, opened
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.daemon.address import available, place
from octavo.interfaces.daemon.client import greeting
from octavo.interfaces.daemon.server import AlreadyRunning, Server, bind_private, key_of
from octavo.interfaces.process_pool import ProcessPool, Runs
from octavo.interfaces.serving.server import Listening
from octavo.interfaces.serving.server import serve as listen
from octavo.observability.logs import configure
from octavo.operations.table import chosen


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
    listen(calls, config.serve, tools, listening, beside, further)


def searching(flags: dict[str, Any]) -> Runs:
    """For a process beside the server: the same library, of which it neither watches the folders nor does the work."""
    config, files = load_with_files(flags)
    configure(config.log_level, format=config.log_format)
    calls = Calls(lambda: open_engine(config), follow=following(config, files))
    calls.engine()
    # What is there now stays, and a search makes thousands of values that are gone after it: looking through them all
    # for cycles took a thirtieth of the time.
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    return calls.run


def serve_page(choices: Choices, port: int | None) -> None:
    """Serves as the configuration says, at another port if one is given, and opens the page."""
    serve(choices, None, port, None, False, (), (), None, "default", None, show=True)


def _sockets(config: Config, calls: Calls) -> tuple[Callable[[], Awaitable[None]] | None, tuple[socket.socket, ...]]:
    """Other clients of the library are served from here too, unless another server is there already; and programs that
    speak HTTP, without a token: only this account can reach the socket."""
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
