"""Asks the running daemon for a search, whose answer it has laid out already, and for what it watches.

The server writes the answer as well, for the screen it is told of: a client that only prints starts sooner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from octavo.errors import OctavoError
from octavo.interfaces.cli import output
from octavo.interfaces.cli.global_options import Choices
from octavo.model.projects_and_collections import FolderState

if TYPE_CHECKING:
    from octavo.config.schema import Config
    from octavo.operations.library.results import WatchAnswer

_SECONDS = 60.0
_ASIDE_SECONDS = 2.0


def search(choices: Choices, config: Config, request: Mapping[str, Any], *, full: bool) -> bool | None:
    """Prints the answer and says whether anything was found; None when no server answers, and nothing was printed."""
    from octavo.interfaces.daemon.socket_address import listening

    if not listening(config):
        return None
    from octavo.interfaces.daemon.client import Unreachable, running

    connection = running(config)
    if connection is None:
        return None
    shown = {"format": choices.format.value, "screen": output.screen()._asdict(), "full": full}
    try:
        answer = connection.call("search", {"request": request, "shown": shown}, _SECONDS)
        text, any_hit = answer["text"], bool(answer["found"])
    except (Unreachable, OctavoError, LookupError, TypeError):
        # A server may be of an older state of this version. What is wrong with a search is wrong without it, too.
        return None
    finally:
        connection.close()
    output.plain(text)
    return any_hit


def watching(config: Config) -> WatchAnswer | None:
    """What the library's server watches, as the operation `watch` answers; None when no server does."""
    from octavo.interfaces.daemon.client import Unreachable, running
    from octavo.operations.library.results import WatchAnswer

    connection = running(config)
    if connection is None:
        return None
    try:
        answer: dict[str, Any] = connection.call("watch", {}, _ASIDE_SECONDS)
        return WatchAnswer(**answer | {"folders": tuple(FolderState(**folder) for folder in answer["folders"])})
    except (Unreachable, OctavoError, LookupError, TypeError):
        return None
    finally:
        connection.close()
