"""Standard output kept for the protocol, before anything is imported that might write to it."""

from __future__ import annotations

import os


def take_output() -> int:
    """Keeps the real standard output for the protocol and points descriptor 1 at stderr, for whoever else writes.

    Called before anything heavy is imported: native libraries print while they load.
    """
    wire = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:  # started without stderr
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return wire
