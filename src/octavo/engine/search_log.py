"""What an operator should know of a search: that a part was missing, or that it took long. Never its text."""

from __future__ import annotations

import sys
from collections.abc import Sequence

SLOW_MS = 1_000.0


def log_search(profile: str, hits: int, took_ms: float, degraded: Sequence[str]) -> None:
    """Writes nothing where nobody has asked for logs: a search on the command line does not import logging."""
    if "octavo.observability.logs" not in sys.modules or not (degraded or took_ms > SLOW_MS):
        return
    from octavo.observability.logs import logger

    log = logger("search")
    for part in degraded:
        log.info("a search was degraded: %s", part)
    if took_ms > SLOW_MS:
        log.info("a search by %s with %d hits took %d ms", profile, hits, round(took_ms))
