"""How many examples a property gets: a quarter by default, all of them by `./dev check --long`."""

from __future__ import annotations

import os

LONG = os.environ.get("OCTAVO_LONG_TESTS") == "1"


def examples(most: int) -> int:
    return most if LONG else max(10, most // 4)
