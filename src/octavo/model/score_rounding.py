"""Rounds scores, so that no order depends on the last bits of a floating-point sum.

A sum has other last bits on another processor (compilers contract a multiplication and an addition into one rounding on
some), in another engine, and with its terms in another order. Scores are therefore computed in double precision and
rounded before anything compares them: to 24 significant bits, and to a multiple of 2^-40 where that is coarser, because
what should cancel out leaves noise rather than zero. Two computations of one score differ by some 10^-15 of it, and
cells are 10^-7 of it wide: one score in a hundred million has a boundary between the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Scores = TypeVar("Scores", float, "NDArray[np.float64]")

SAYS_NOTHING = 0.005
"""A relevance below it is written as .00."""
_FLOOR = 1.5 * 2.0**12
"""Numbers of its size are 2^-40 apart, so that adding it rounds to a multiple of that."""
_SPLIT = 2.0**29 + 1.0
"""Parts the upper 24 of 53 bits from the rest: Dekker, "A floating-point technique", Numerische Mathematik 18, 1971."""


def rounded(score: Scores) -> Scores:
    """A score, or an array of them, as it is compared and shown. Rounding again changes nothing, and order is kept.

    >>> rounded(0.1 + 0.2) == rounded(0.3), rounded(0.1 + 0.2 - 0.3), rounded(0.3) == rounded(0.3000001)
    (True, 0.0, False)
    """
    coarse = (score + _FLOOR) - _FLOOR
    split = coarse * _SPLIT
    return split - (split - coarse)


def shown(score: float) -> float:
    """A score as answers have it, so that one of theirs given as the least score keeps its hit."""
    return round(score, 6)


def just_below(score: float) -> float:
    """A score that stands after `score` in every order, and hardly differs from it."""
    return rounded(score - max(abs(score) * 2.0**-22, 2.0**-38))
