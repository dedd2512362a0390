"""A search answered by the library's server, when one runs: what it has in memory need not be read again.

The server writes the answer as well, for the screen it is told of: a client that only prints starts sooner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from recto.interfaces.cli import output
from recto.interfaces.cli.options import Choices

_SECONDS = 60.0


def search(choices: Choices, asked: Mapping[str, Any], *, full: bool, explain: bool) -> bool | None:
    """Prints the answer and says whether anything was found; None when no server answers, and nothing was printed."""
    from recto.config.load import load
    from recto.interfaces.daemon.client import Unreachable, running

    connection = running(load(choices.flags()).config)
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
