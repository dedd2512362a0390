"""`octavo mcp`: a client of the library's server, or where there is none a server for this client alone."""

from __future__ import annotations

from octavo.config.reloading import load_with_files
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.daemon.relay import relayed
from octavo.observability.logs import configure


def serve(choices: Choices, tools: str, daemon: bool | None, wire: int) -> None:
    config, files = load_with_files(choices.flags() | ({} if daemon is None else {"daemon.enabled": daemon}))
    configure("info" if choices.verbose else config.log_level, format=config.log_format)
    if config.daemon.enabled:
        relayed(config, files, tools, wire)
    # A client whose messages are passed on to the library's server pays for none of this.
    from octavo.interfaces.mcp.stdio import serve as serve_alone

    serve_alone(config, files, tools, wire)
