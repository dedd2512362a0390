"""A search answered by the library's server, when one runs: what it has in memory need not be read again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recto.interfaces.cli.options import Choices

if TYPE_CHECKING:
    from recto.model.result import Result

_SECONDS = 60.0


def find(choices: Choices, asked: Mapping[str, Any]) -> tuple[Result, dict[str, Path]] | None:
    """The result and where the folders are; None when no server answers, and the search is done here."""
    from recto.config.load import load
    from recto.interfaces.daemon.client import Unreachable, running

    connection = running(load(choices.flags()).config)
    if connection is None:
        return None
    from recto.interfaces.daemon.results import unpacked

    try:
        answer = connection.call("find", asked, _SECONDS)
    except Unreachable:
        return None
    finally:
        connection.close()
    return unpacked(answer["result"]), {name: Path(root) for name, root in answer["roots"].items()}
