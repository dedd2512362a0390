"""How long a failed job waits: twice as long each time, up to a limit, and never in step with the others."""

from __future__ import annotations

import random

_JITTER = 0.5  # of a delay that is left to chance


def delay(attempt: int, first: float, longest: float, seed: str) -> float:
    """Seconds after the attempt of this number, from 1. The same seed and attempt always wait the same."""
    # Large exponents would overflow long after the limit was reached.
    whole = min(longest, first * 2.0 ** min(attempt - 1, 64))
    return whole * (1.0 - _JITTER * random.Random(f"{seed}:{attempt}").random())
