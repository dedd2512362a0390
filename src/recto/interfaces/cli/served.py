"""A search answered by the library's server, when one runs: what it has in memory need not be read again.

The server writes the answer as well, for the screen it is told of: a client that only prints starts sooner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from recto.interfaces.cli import output
from recto.interfaces.cli.options import Choices

if TYPE_CHECKING:
    from recto.config.schema import Config

_SECONDS = 60.0
_ASIDE_SECONDS = 2.0


def search(choices: Choices, asked: Mapping[str, Any], *, full: bool, explain: bool) -> bool | None:
    """Prints the answer and says whether anything was found; None when no server answers, and nothing was printed."""
    from recto.config.load import load
    from recto.interfaces.daemon.address import listening

    config = load(choices.flags()).config
    if not listening(config):
        return None
    from recto.interfaces.daemon.client import Unreachable, running

    connection = running(config)
    if connection is None:
        return None
    shown = {"format": choices.format.value, "screen": asdict(output.screen()), "full": full, "explain": explain}
    try:
        answer = connection.call("search", {"request": asked, "shown": shown}, _SECONDS)
    except Unreachable:
        return None
    finally:
        connection.close()
    output.plain(answer["text"])
    return bool(answer["found"])


def watching(config: Config) -> dict[str, Any] | None:
    """What the library's server watches, as the operation `watch` tells it; None when no server answers."""
    from recto.interfaces.daemon.client import Unreachable, running

    connection = running(config)
    if connection is None:
        return None
    try:
        told: dict[str, Any] = connection.call("watch", {}, _ASIDE_SECONDS)
        return told
    except Unreachable:
        return None
    finally:
        connection.close()
